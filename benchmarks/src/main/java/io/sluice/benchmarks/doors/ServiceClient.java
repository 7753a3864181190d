package io.sluice.benchmarks.doors;

import io.sluice.benchmarks.processes.ProcessUse;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.IntFunction;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/**
 * A process that puts a load on several rate limit services in turn. Its arguments are {@code one|four PER_SECOND IN_FLIGHT
 * WARM_UP_MILLIS TURNS MILLIS REDIS_PID PORT:PID…}: the descriptors of a request; the rate of an {@linkplain OpenLoop open loop}, or
 * 0 for a {@linkplain ClosedLoop closed loop} with so many requests in flight. Its last lines, one for each service, have the
 * medians of the turns: answers per second, CPU time of the service and of Redis per answer in microseconds, p50 and p99 in
 * milliseconds; and the p99 of all turns together.
 */
public final class ServiceClient {

    /** As few as Envoy opens: one for each of its threads. */
    private static final int CONNECTIONS = 4;

    private static final double MILLION = 1e6;

    private record Turn(double perSecond, double cpuMicros, double redisMicros, double p50Millis, double p99Millis) {}

    private interface Load {
        Latencies run(Duration span) throws InterruptedException;
    }

    private final Load load;
    private final long pid;
    private final long redis;
    private final List<Turn> turns = new ArrayList<>();
    private final Latencies all = new Latencies();

    private ServiceClient(Load load, long pid, long redis) {
        this.load = load;
        this.pid = pid;
        this.redis = redis;
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        byte[][] messages = messages(args[0].equals("four") ? DoorLoad::fourDescriptors : DoorLoad::message);
        double perSecond = Double.parseDouble(args[1]);
        int inFlight = Integer.parseInt(args[2]);
        Duration span = Duration.ofMillis(Long.parseLong(args[5]));
        List<ServiceClient> services = new ArrayList<>();
        for (String service : List.of(args).subList(7, args.length)) {
            String[] address = service.split(":", 2);
            Load load = load(sender(Integer.parseInt(address[0]), messages), perSecond, inFlight);
            load.run(Duration.ofMillis(Long.parseLong(args[3])));
            services.add(new ServiceClient(load, Long.parseLong(address[1]), Long.parseLong(args[6])));
        }
        for (int turn = 0; turn < Integer.parseInt(args[4]); turn++) {
            for (ServiceClient service : services) {
                service.turn(span);
            }
        }
        services.forEach(service -> System.out.println(service.line()));
        System.exit(0);
    }

    private static byte[][] messages(IntFunction<byte[]> ofUser) {
        return IntStream.range(0, DoorLoad.USERS).mapToObj(ofUser).toArray(byte[][]::new);
    }

    private static OpenLoop.Sender sender(int port, byte[][] messages) throws IOException {
        List<Wire> wires = new ArrayList<>();
        for (int i = 0; i < CONNECTIONS; i++) {
            wires.add(new Http2Wire(port, DoorLoad.METHOD, messages));
        }
        return new Wires(wires);
    }

    private static Load load(OpenLoop.Sender sender, double perSecond, int inFlight) {
        if (perSecond == 0) {
            ClosedLoop closed = new ClosedLoop(sender, inFlight);
            return span -> checked(closed.run(span), closed.failed());
        }
        OpenLoop open = new OpenLoop(sender);
        return span -> checked(open.run(perSecond, span), open.failed());
    }

    private static Latencies checked(Latencies latencies, long failed) {
        if (failed > 0) {
            throw new IllegalStateException(failed + " requests failed");
        }
        return latencies;
    }

    private void turn(Duration span) throws InterruptedException {
        double cpu = ProcessUse.cpuSeconds(pid);
        double redisCpu = ProcessUse.cpuSeconds(redis);
        long begin = System.nanoTime();
        Latencies latencies = load.run(span);
        double seconds = (System.nanoTime() - begin) / 1e9;
        double count = latencies.count();
        turns.add(new Turn(
                count / seconds,
                (ProcessUse.cpuSeconds(pid) - cpu) * MILLION / count,
                (ProcessUse.cpuSeconds(redis) - redisCpu) * MILLION / count,
                latencies.quantile(0.5) / MILLION,
                latencies.quantile(0.99) / MILLION));
        all.add(latencies);
    }

    private String line() {
        return String.format(
                Locale.ROOT,
                "%.3f %.3f %.3f %.3f %.3f %.3f",
                median(Turn::perSecond),
                median(Turn::cpuMicros),
                median(Turn::redisMicros),
                median(Turn::p50Millis),
                median(Turn::p99Millis),
                all.quantile(0.99) / MILLION);
    }

    private double median(ToDoubleFunction<Turn> of) {
        double[] values = turns.stream().mapToDouble(of).toArray();
        Arrays.sort(values);
        return values[values.length / 2];
    }
}
