package io.sluice.replay.imports.peers;

import com.alibaba.csp.sentinel.util.TimeUtil;
import java.lang.reflect.Field;
import java.util.Set;

/**
 * A time of Sentinel that the test sets. Sentinel has one clock for the whole process and no way to replace it: a thread writes the time
 * into a field from which all others read it. Here is another instance of that clock without its thread.
 */
final class SentinelClock implements AutoCloseable {

    private final Object usual;
    private final TimeUtil own;

    SentinelClock() throws ReflectiveOperationException, InterruptedException {
        usual = field("INSTANCE").get(null);
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        own = new TimeUtil();
        Object statistics = field("statistics").get(own);
        // The thread ends when it has no statistics to write. Without it, the time stays what it is set to.
        field("statistics").set(own, null);
        field("state").set(own, Enum.valueOf(TimeUtil.STATE.class, "RUNNING"));
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (!before.contains(thread) && thread.getName().equals("sentinel-time-tick-thread")) {
                thread.setUncaughtExceptionHandler((ended, expected) -> {});
                thread.join();
            }
        }
        field("statistics").set(own, statistics);
        field("INSTANCE").set(null, own);
    }

    void set(long millis) throws ReflectiveOperationException {
        field("currentTimeMillis").set(own, millis);
    }

    @Override
    public void close() throws ReflectiveOperationException {
        field("INSTANCE").set(null, usual);
    }

    private static Field field(String name) throws NoSuchFieldException {
        Field field = TimeUtil.class.getDeclaredField(name);
        field.setAccessible(true);
        return field;
    }
}
