package io.sluice.cli.apply;

import io.sluice.core.time.Clock;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import picocli.CommandLine.ExitCode;
import tools.jackson.databind.JsonNode;

/** Waits until every node has reported the outcome of a version, and prints these reports. */
final class RolloutWatch {

    private static final long LOOK_EVERY_MILLIS = 200;

    private final CenterClient client;
    private final PrintWriter out;
    private final Clock clock = Clock.system();
    private final Map<String, String> printed = new HashMap<>();

    RolloutWatch(CenterClient client, PrintWriter out) {
        this.client = client;
        this.out = out;
    }

    /** Returns the exit code: 0 if every live node applied the version. */
    int await(JsonNode begun, Duration patience) throws CenterCallException {
        long id = begun.path("id").asLong();
        long start = clock.nanoTime();
        JsonNode rollout = begun;
        while (true) {
            print(rollout.path("nodes"));
            long version = rollout.path("version").asLong();
            long applied = rollout.path("applied").asLong();
            long waiting = rollout.path("waiting").asLong();
            long refused = rollout.path("refused").asLong();
            switch (rollout.path("state").asString("")) {
                case "done" -> {
                    return end(
                            applied == 0
                                    ? "done: version " + version + " is in force; no node is running"
                                    : "done: every node runs version " + version + " (" + nodes(applied) + ")",
                            true);
                }
                case "trial", "holding" -> {
                    if (waiting == 0 && refused == 0) {
                        return end(
                                "on trial: " + nodes(applied) + " ready; POST /api/rollouts/" + id
                                        + "/promote releases it to more, …/abort ends it",
                                true);
                    }
                    if (refused > 0 && waiting == 0) {
                        return end("not done: " + nodes(refused) + " refused version " + version, false);
                    }
                }
                case "rolled_back", "failed" -> {
                    return end(
                            "ended: version " + version + " was not released to everybody; see GET /api/rollouts/" + id,
                            false);
                }
                case "superseded" -> {
                    return end("replaced: a newer version was released before every node ran " + version, false);
                }
                default -> {
                    if (refused > 0 && waiting == 0) {
                        return end("not done: " + nodes(refused) + " refused version " + version, false);
                    }
                }
            }
            if (clock.nanoTime() - start > patience.toNanos()) {
                return end(
                        "not done: version " + version + " is released, but after " + patience.toSeconds() + " s "
                                + nodes(waiting + refused) + " do not run it; see GET /api/rollouts/" + id,
                        false);
            }
            pause();
            rollout = client.get("/api/rollouts/" + id);
        }
    }

    private void print(JsonNode nodes) {
        for (JsonNode node : nodes) {
            String state = node.path("state").asString("");
            if (state.equals("waiting")
                    || state.equals(printed.put(node.path("id").asString(""), state))) {
                continue;
            }
            out.println("  " + node.path("name").asString("") + ": " + state);
            node.path("errors").forEach(error -> out.println("    " + error.asString()));
        }
        out.flush();
    }

    private int end(String line, boolean good) {
        out.println(line);
        return good ? ExitCode.OK : ExitCode.SOFTWARE;
    }

    private static String nodes(long count) {
        return count + (count == 1 ? " node" : " nodes");
    }

    private static void pause() {
        try {
            Thread.sleep(LOOK_EVERY_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
