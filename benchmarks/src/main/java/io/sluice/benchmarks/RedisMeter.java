package io.sluice.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads how many scripts Redis ran and how much CPU time Redis and this process have used so far. */
final class RedisMeter implements AutoCloseable {

    private static final Pattern CALLS = Pattern.compile("cmdstat_(?:evalsha|eval|fcall):calls=(\\d+)");
    private static final Pattern CPU = Pattern.compile("used_cpu_(?:user|sys):([0-9.]+)");

    private final RedisClient client;
    private final RedisCommands<String, String> redis;
    private final OperatingSystemMXBean process = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    /** @param calls the number of calls of scripts and functions */
    record Reading(long calls, double redisMicros, double clientMicros) {}

    RedisMeter(String uri) {
        client = RedisClient.create(uri);
        redis = client.connect().sync();
    }

    Reading read() {
        long calls = 0;
        Matcher stats = CALLS.matcher(redis.info("commandstats"));
        while (stats.find()) {
            calls += Long.parseLong(stats.group(1));
        }
        double seconds = 0;
        Matcher cpu = CPU.matcher(redis.info("cpu"));
        while (cpu.find()) {
            seconds += Double.parseDouble(cpu.group(1));
        }
        return new Reading(calls, seconds * 1e6, (double) TimeUnit.NANOSECONDS.toMicros(process.getProcessCpuTime()));
    }

    @Override
    public void close() {
        client.shutdown(0, 1, TimeUnit.SECONDS);
    }
}
