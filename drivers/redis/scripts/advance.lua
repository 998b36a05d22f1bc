-- ARGV: 4 by how much.
return {1, redis.call('HINCRBY', root, 'clock', ARGV[4])}
