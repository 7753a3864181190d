package io.sluice.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads how many scripts Redis ran, how long it ran them, and how much CPU time Redis and this process have used so far. */
final class RedisMeter implements AutoCloseable {

    private static final Pattern CALLS = Pattern.compile("cmdstat_(?:evalsha|eval|fcall):calls=(\\d+),usec=(\\d+)");
    private static final Pattern CPU = Pattern.compile("used_cpu_(?:user|sys):([0-9.]+)");

    private final RedisClient client;
    private final RedisCommands<String, String> redis;
    private final OperatingSystemMXBean process = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    /**
     * The sums since the start.
     *
     * @param calls the number of calls of scripts and functions
     * @param scriptMicros the time that Redis ran them, without reading the calls and writing the replies
     * @param redisMicros the CPU time of Redis for everything
     * @param threads what the Java threads of this process used that live now
     */
    record Reading(long calls, double scriptMicros, double redisMicros, double clientMicros, ThreadUse threads) {}

    RedisMeter(String uri) {
        client = RedisClient.create(uri);
        redis = client.connect().sync();
    }

    Reading read() {
        long calls = 0;
        double micros = 0;
        Matcher stats = CALLS.matcher(redis.info("commandstats"));
        while (stats.find()) {
            calls += Long.parseLong(stats.group(1));
            micros += Double.parseDouble(stats.group(2));
        }
        double seconds = 0;
        Matcher cpu = CPU.matcher(redis.info("cpu"));
        while (cpu.find()) {
            seconds += Double.parseDouble(cpu.group(1));
        }
        return new Reading(
                calls,
                micros,
                seconds * 1e6,
                (double) TimeUnit.NANOSECONDS.toMicros(process.getProcessCpuTime()),
                ThreadUse.ofAll());
    }

    @Override
    public void close() {
        client.shutdown(0, 1, TimeUnit.SECONDS);
    }
}
