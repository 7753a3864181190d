package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.ApiClient.Answer;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** Damaged and hostile documents are refused whole. The rules in force stay in force. */
class PoisonedRulesTest {

    private static final int TIMES = 200;

    private static final String GOOD = """
            rules:
              - id: login
                service: user-service
                resource: /api/login
                methods: [POST]
                limits:
                  - { by: ip, algorithm: sliding_log, limit: 5, window: 1m }
                  - { by: json.username, limit: 3, window: 1m, privacy: hash }
                on_failure: closed
              - id: orders
                resource: /api/orders/**
                limits:
                  - { id: per-user, by: [tenant, user], rate: 50/s, burst: 100 }
                overrides:
                  - { when: { plan: vip }, of: per-user, rate: 200/s, burst: 400 }
            """;

    @TempDir
    Path data;

    @Test
    void everyDocumentIsAcceptedOrRefusedAndNeverAFailure() throws Exception {
        try (Center center = Center.open(PreparedCenter.in(data))) {
            ApiClient api = ApiClient.of(center);
            api.release(open(api, GOOD).expect(201));
            String digest = api.get("/api/rules").string("digest");
            Random random = new Random(20);
            int refused = 0;
            for (int i = 0; i < TIMES; i++) {
                Answer answer = open(api, poisoned(random));
                assertThat(answer.status()).as(answer.text()).isIn(201, 400, 422);
                refused += answer.status() == 201 ? 0 : 1;
            }
            assertThat(refused).isGreaterThan(TIMES / 4);
            assertThat(api.get("/api/rules").string("digest")).isEqualTo(digest);
            assertThat(api.get("/health").status()).isEqualTo(200);
        }
    }

    private static Answer open(ApiClient api, String document) {
        long base = api.get("/api/rules").number("version");
        return api.post(
                "/api/changes",
                JsonMapper.shared()
                        .writeValueAsString(
                                java.util.Map.of("title", "t", "reason", "r", "base", base, "document", document)));
    }

    private static String poisoned(Random random) {
        StringBuilder text = new StringBuilder(GOOD);
        for (int i = 0; i <= random.nextInt(4); i++) {
            int at = random.nextInt(text.length());
            switch (random.nextInt(6)) {
                case 0 -> text.setCharAt(at, (char) random.nextInt(0x500));
                case 1 -> text.delete(at, Math.min(text.length(), at + random.nextInt(20)));
                case 2 -> text.insert(at, text.substring(at, Math.min(text.length(), at + random.nextInt(200))));
                case 3 -> text.insert(at, "[".repeat(random.nextInt(2_000)));
                case 4 -> text.insert(at, "9".repeat(random.nextInt(40)));
                default -> text.insert(at, "&a *a !!java.net.URL \u0000\ud800");
            }
        }
        return text.toString();
    }
}
