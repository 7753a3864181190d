package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.http.PathVariants;
import io.sluice.testkit.http.RawCaller;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nobody gets past the token, and the token stays where it is. */
class ApiAccessTest {

    @TempDir
    Path data;

    @Test
    void noSpellingOfAPathNeedsNoToken() throws Exception {
        try (Center center = Center.open(PreparedCenter.in(data));
                RawCaller caller = new RawCaller(center.address().getPort())) {
            ApiClient.of(center).release("login", 5);
            List<String> paths = List.of("/api/rules", "/api/nodes", "/api/commands");
            for (String target : PathVariants.of(paths, new Random(3), 3_000)) {
                RawCaller.Answer answer = caller.get(target);
                if (target.matches("/([?#].*)?")) {
                    // The console is there.
                    assertThat(answer.status()).as(target).isEqualTo(302);
                    continue;
                }
                assertThat(answer.status()).as(target).isIn(400, 401, 404);
                assertThat(answer.body())
                        .as(target)
                        .contains("\"status\":" + answer.status())
                        .doesNotContain("login");
            }
        }
    }

    @Test
    void theTokenIsReadableForItsOwnerOnlyAndStaysTheSame() throws Exception {
        String token;
        try (Center center = Center.open(PreparedCenter.in(data))) {
            assertThat(Files.getPosixFilePermissions(center.adminTokenFile())).hasSize(2);
            assertThat(Files.getPosixFilePermissions(data.resolve("center.db"))).hasSize(2);
            token = Files.readString(center.adminTokenFile());
            assertThat(token.strip()).hasSizeGreaterThanOrEqualTo(43);
        }
        try (Center center = Center.open(PreparedCenter.in(data))) {
            assertThat(Files.readString(center.adminTokenFile())).isEqualTo(token);
        }
    }

    @Test
    void aTokenOfItsOwnIsUsedAndAWeakOneIsRefused() throws Exception {
        Path file = Files.writeString(data.resolve("token"), "0123456789abcdef0123456789abcdef\n");
        try (Center center =
                Center.open(PreparedCenter.in(data.resolve("center")).adminTokenFile(file))) {
            assertThat(center.adminTokenFile()).isEqualTo(file);
            ApiClient.of(center).get("/api/rules").expect(200);
            assertThat(data.resolve("center/admin-token")).doesNotExist();
        }
        for (String weak : List.of("", "short", "0123456789abcdef 0123456789abcdef", "ü".repeat(40))) {
            Files.writeString(file, weak);
            org.assertj.core.api.Assertions.assertThatThrownBy(() -> Center.open(
                            PreparedCenter.in(data.resolve("center")).adminTokenFile(file)))
                    .isInstanceOf(CenterStartException.class)
                    .hasMessageContaining("at least 32");
        }
    }
}
