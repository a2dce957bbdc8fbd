local left = redis.call('PTTL', KEYS[1])
local spent = left > 0 and tonumber(redis.call('GET', KEYS[1])) or 0
local cost, quota, window = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local allowed = spent + cost <= quota and 1 or 0
if allowed == 1 then
  spent = spent + cost
  if left > 0 then
    redis.call('INCRBY', KEYS[1], cost)
  else
    redis.call('SET', KEYS[1], spent, 'PX', window)
    left = window
  end
end
return {allowed, math.max(0, quota - spent), left > 0 and left or window}
