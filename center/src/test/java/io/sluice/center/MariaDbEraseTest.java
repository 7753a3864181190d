package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.access.Grant;
import io.sluice.center.access.Role;
import io.sluice.runtime.erasure.ErasureResult;
import io.sluice.testkit.Await;
import io.sluice.testkit.database.MariaDbServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Erasing a subject on a real MariaDB, also with several centers. */
@Tag("long")
class MariaDbEraseTest extends EraseContract {

    private static final Duration SOON = Duration.ofMinutes(5);
    private static final String BODY = "{\"attribute\":\"user\",\"value\":\"u-17\",\"reason\":\"case\"}";

    @Override
    String emptyDatabase() {
        return MariaDbServer.shared().database();
    }

    @Test
    void centersWithTheSameKeyShareOrdersAnswersAndTheList(@TempDir Path one, @TempDir Path two) throws Exception {
        String db = emptyDatabase();
        try (Center first = Center.open(CenterSettings.embedded(one).db(db))) {
            Files.copy(one.resolve("erasure-key"), two.resolve("erasure-key"));
            try (Center second = Center.open(CenterSettings.embedded(two).db(db))) {
                FakeNode node = new FakeNode(ApiClient.of(second), "n1");
                ApiClient api = ApiClient.of(first);
                Await.until("known to the first", SOON, () -> {
                    node.runs(0);
                    return api.get("/api/nodes/n1").status() == 200;
                });
                ApiClient.person(first, "root", Grant.of(Role.ADMINISTRATOR))
                        .post("/api/erasures", BODY)
                        .expect(202);
                Await.until(
                        "the second asks", SOON, () -> node.runs(0).erasures().size() == 1);
                node.erased(new ErasureResult(1, Map.of("counts", 1L), List.of(), List.of()));
                Await.until("done at the first", SOON, () -> {
                    node.runs(0);
                    return api.get("/api/erasures/1").string("state").equals("done");
                });
                Await.until("both have the list", SOON, () -> Files.exists(two.resolve("erasures")));
                assertThat(Files.readString(two.resolve("erasures")))
                        .isEqualTo(Files.readString(one.resolve("erasures")));
            }
        }
    }

    @Test
    void aCenterWithAnotherKeyErasesNothing(@TempDir Path one, @TempDir Path two) throws Exception {
        String db = emptyDatabase();
        try (Center first = Center.open(CenterSettings.embedded(one).db(db));
                Center second = Center.open(CenterSettings.embedded(two).db(db))) {
            ApiClient root = ApiClient.person(second, "root", Grant.of(Role.ADMINISTRATOR));
            assertThat(root.post("/api/erasures", BODY).expect(409).string("detail"))
                    .contains("erasure-key: not the one that this database was used with");
            assertThat(ApiClient.of(second).get("/api/status").get("problems").toString())
                    .contains("erasure-key");
            assertThat(ApiClient.of(first).get("/api/status").get("problems").toString())
                    .doesNotContain("erasure-key");
        }
    }
}
