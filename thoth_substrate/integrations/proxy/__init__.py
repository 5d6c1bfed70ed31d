"""The proxy: OpenAI's and Anthropic's APIs, passed on to an upstream, with memory in the current user turn.

upstream    where requests go, with which headers, and what is said when nothing answers there
dialects    what each API calls a turn: one shape for the three of them
replies     the assistant's reply, read from the bytes that went to the client
splice      a block put into a request's bytes, everything else left as written
sessions    which conversation a request belongs to
kept        the block of a turn, for as long as tools are at work for it
perceiving  each turn, reply, call and result, once
proxy       one request: forwarded, with memory where there is any, unchanged where there is none
routes      the paths
"""
