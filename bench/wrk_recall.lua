-- Ask /v1/recall the questions of a file, one JSON body a line, and say how it was answered. One thread: its counters are all.
local bodies, place, threads = {}, 0, {}
said, empty, late, partial, wrong = 0, 0, 0, 0, 0

function setup(thread) table.insert(threads, thread) end

function init(args)
    for line in io.lines(args[1]) do table.insert(bodies, line) end
    wrk.headers["Content-Type"] = "application/json"
    wrk.headers["X-Thoth-Tenant"] = args[2]
end

function request()
    place = place % #bodies + 1
    return wrk.format("POST", "/v1/recall", nil, bodies[place])
end

function response(status, headers, body)
    if status ~= 200 then wrong = wrong + 1
    elseif body:find('"empty_reason":"timeout"', 1, true) then late = late + 1
    elseif body:find('"partial":true', 1, true) then partial = partial + 1
    elseif body:find('"empty_reason":null', 1, true) then said = said + 1
    else empty = empty + 1 end
end

function done(summary, latency, requests)
    local thread, above, deadline_us = threads[1], 0, tonumber(os.getenv("WRK_DEADLINE_US") or "300000")
    for i = 1, #latency do
        local us, count = latency(i)
        if us > deadline_us then above = above + count end
    end
    local e = summary.errors
    io.write(string.format(
        '\nFIGURES {"requests":%d,"seconds":%.3f,"per_s":%.1f,"p50_ms":%.2f,"p95_ms":%.2f,"p99_ms":%.2f,"worst_ms":%.2f,'
        .. '"above_deadline":%d,"said":%d,"empty":%d,"late":%d,"partial":%d,"wrong":%d,"errors":%d}\n',
        summary.requests, summary.duration / 1e6, summary.requests / (summary.duration / 1e6), latency:percentile(50) / 1000,
        latency:percentile(95) / 1000, latency:percentile(99) / 1000, latency.max / 1000, above, thread:get("said"),
        thread:get("empty"), thread:get("late"), thread:get("partial"), thread:get("wrong"),
        e.connect + e.read + e.write + e.status + e.timeout))
end
