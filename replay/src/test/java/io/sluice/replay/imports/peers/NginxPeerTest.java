package io.sluice.replay.imports.peers;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.time.Clock;
import io.sluice.replay.imports.ImportKind;
import io.sluice.testkit.SeededRandom;
import io.sluice.testkit.http.RawCaller;
import io.sluice.testkit.process.NginxServer;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/**
 * The imported rule beside a real nginx. The original reads its own clock, so the test records when each request was sent and
 * answered. nginx decided in between, and the two may differ by what the rate adds in that time, however slow the machine is.
 */
class NginxPeerTest {

    private static final int RATE = 50;
    private static final int BURST = 10;
    private static final int REQUESTS = 400;
    private static final long RUN_MICROS = 3_000_000;

    private static final String ZONE = "limit_req_zone $binary_remote_addr zone=all:1m rate=" + RATE + "r/s;";

    /** Answers from memory, in the phase after limits. */
    private static final String SERVER =
            "location / { limit_req zone=all burst=" + BURST + " nodelay; limit_req_status 429; empty_gif; }";

    @Test
    void admitsAsManyRequestsAsNginx() throws IOException {
        SeededRandom random = SeededRandom.of("NginxPeerTest");
        Clock clock = Clock.system();
        long[] sent = new long[REQUESTS];
        long[] answered = new long[REQUESTS];
        boolean[] passed = new boolean[REQUESTS];
        try (NginxServer nginx = NginxServer.start(1, ZONE, SERVER);
                RawCaller caller = new RawCaller(nginx.port())) {
            long begin = clock.epochMicros();
            long due = begin;
            for (int i = 0; i < REQUESTS; i++) {
                due += random.nextInt(3) == 0 ? random.nextInt((int) (6 * RUN_MICROS / REQUESTS)) : 0;
                while (clock.epochMicros() < due) {
                    Thread.onSpinWait();
                }
                sent[i] = clock.epochMicros();
                passed[i] = caller.get("/").status() == 200;
                answered[i] = clock.epochMicros();
            }
        }
        ImportedLimit imported = new ImportedLimit(
                ImportKind.NGINX, "nginx.conf", "http { " + ZONE + " server { " + SERVER + " } }", sent[0]);
        SpanDifference difference = new SpanDifference(1_000);
        long slowest = 0;
        int streak = 0;
        int spells = 0;
        long all = 0;
        for (int i = 0; i < REQUESTS; i++) {
            difference.add(sent[i] / 1_000, passed[i], imported.allows("a", sent[i]));
            slowest = Math.max(slowest, answered[i] - sent[i]);
            all += passed[i] ? 1 : 0;
            streak = passed[i] ? streak + 1 : 0;
            // It begins full. On a slow machine it may fill again, almost, and then the difference may begin anew.
            spells += streak == BURST - 1 ? 1 : 0;
        }
        // nginx counts in milliseconds and sees a request at most this much later than it was sent.
        long lateMicros = slowest + 2_000;
        assertThat(difference.mostInTotal()).isLessThanOrEqualTo(spells * (2 + 2 * RATE * lateMicros / 1_000_000));
        long runMicros = answered[REQUESTS - 1] - sent[0];
        assertThat(all).isLessThanOrEqualTo(BURST + 2 + RATE * (runMicros + 1_000) / 1_000_000);
    }
}
