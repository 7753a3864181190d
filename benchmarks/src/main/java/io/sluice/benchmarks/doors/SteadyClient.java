package io.sluice.benchmarks.doors;

import static java.util.stream.Collectors.toCollection;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * A process that puts a {@linkplain OpenLoop steady load} on several servers in turn. Its arguments are {@code grpc|http
 * PER_SECOND WARM_UP_MILLIS TURNS MILLIS PORT…}. Its last lines, one for each server, have the p50, p99 and p99.9 of all
 * latencies and the median of the turns' p99, in milliseconds, and how busy the machine was, between 0 and 1. If the machine
 * stalls for a moment, that distorts one turn and the quantiles of all latencies, but not the median of the turns.
 */
public final class SteadyClient {

    /** As few as Envoy opens: one for each of its threads. */
    private static final int GRPC_CONNECTIONS = 4;

    private static final int HTTP_CONNECTIONS = 64;

    private SteadyClient() {}

    public static void main(String[] args) throws IOException, InterruptedException {
        double perSecond = Double.parseDouble(args[1]);
        int turns = Integer.parseInt(args[3]);
        Duration span = Duration.ofMillis(Long.parseLong(args[4]));
        List<OpenLoop> loads = new ArrayList<>();
        for (String port : List.of(args).subList(5, args.length)) {
            OpenLoop load = new OpenLoop(sender(args[0], Integer.parseInt(port)));
            load.run(perSecond, Duration.ofMillis(Long.parseLong(args[2])));
            loads.add(load);
        }
        List<Latencies> all = loads.stream().map(load -> new Latencies()).toList();
        long[][] slowest = new long[loads.size()][turns];
        List<MachineTime> spent = loads.stream().map(load -> MachineTime.NONE).collect(toCollection(ArrayList::new));
        for (int turn = 0; turn < turns; turn++) {
            for (int i = 0; i < loads.size(); i++) {
                MachineTime before = MachineTime.now();
                Latencies latencies = loads.get(i).run(perSecond, span);
                spent.set(i, spent.get(i).plus(MachineTime.now().minus(before)));
                all.get(i).add(latencies);
                slowest[i][turn] = latencies.quantile(0.99);
            }
        }
        for (int i = 0; i < loads.size(); i++) {
            if (loads.get(i).failed() > 0) {
                System.out.println(loads.get(i).failed() + " requests failed");
                System.exit(1);
            }
            Arrays.sort(slowest[i]);
            System.out.printf(
                    Locale.ROOT,
                    "%.3f %.3f %.3f %.3f %.3f%n",
                    all.get(i).quantile(0.5) / 1e6,
                    all.get(i).quantile(0.99) / 1e6,
                    all.get(i).quantile(0.999) / 1e6,
                    slowest[i][turns / 2] / 1e6,
                    spent.get(i).busy());
        }
        System.exit(0);
    }

    private static OpenLoop.Sender sender(String door, int port) throws IOException {
        return switch (door) {
            case "grpc" -> overGrpc(port);
            case "http" -> overHttp(port);
            default -> throw new IllegalArgumentException("door: " + door + " (expected: grpc or http)");
        };
    }

    private static OpenLoop.Sender overGrpc(int port) throws IOException {
        byte[][] messages =
                IntStream.range(0, DoorLoad.USERS).mapToObj(DoorLoad::message).toArray(byte[][]::new);
        List<Wire> wires = new ArrayList<>();
        for (int i = 0; i < GRPC_CONNECTIONS; i++) {
            wires.add(new Http2Wire(port, DoorLoad.METHOD, messages));
        }
        return new Wires(wires);
    }

    private static OpenLoop.Sender overHttp(int port) throws IOException {
        byte[][] requests =
                IntStream.range(0, DoorLoad.USERS).mapToObj(SteadyClient::post).toArray(byte[][]::new);
        List<Wire> wires = new ArrayList<>();
        for (int i = 0; i < HTTP_CONNECTIONS; i++) {
            wires.add(new Http1Wire(port, requests));
        }
        return new Wires(wires);
    }

    private static byte[] post(int user) {
        String body = DoorLoad.body("u-" + user);
        return ("POST /v1/check HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: "
                        + body.length() + "\r\n\r\n" + body)
                .getBytes(StandardCharsets.US_ASCII);
    }
}
