"""The thoth command: parse, one call, print. One noun a file; stdout is data, stderr is talk."""
