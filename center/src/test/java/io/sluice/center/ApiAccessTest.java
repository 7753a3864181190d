package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.access.Grant;
import io.sluice.center.access.Role;
import io.sluice.center.people.Account;
import io.sluice.testkit.SeededRandom;
import io.sluice.testkit.http.PathMixtures;
import io.sluice.testkit.http.PathVariants;
import io.sluice.testkit.http.RawCaller;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.security.core.authority.FactorGrantedAuthority;

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
            List<String> targets = new ArrayList<>(PathVariants.of(paths, new Random(3), 2_500));
            targets.addAll(PathMixtures.of(paths, new Random(3), SeededRandom.scaled(500, 20_000)));
            for (String target : targets) {
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
            noSpellingGivesAViewerMore(center, caller);
        }
    }

    private static void noSpellingGivesAViewerMore(Center center, RawCaller caller) throws Exception {
        Account viewer = ApiClient.account(center, "viewer", Grant.of(Role.VIEWER));
        String cookie = "\r\nHost: localhost\r\nCookie: sluice_session="
                + center.people().sessions().begin(viewer, FactorGrantedAuthority.PASSWORD_AUTHORITY) + "\r\n\r\n";
        List<String> paths = List.of("/api/commands", "/api/users", "/api/rules/../audit");
        int refused = 0;
        for (String target : PathMixtures.of(paths, new Random(4), SeededRandom.scaled(300, 20_000))) {
            RawCaller.Answer answer;
            try {
                answer = caller.send(("GET " + target + " HTTP/1.1" + cookie).getBytes(StandardCharsets.ISO_8859_1));
            } catch (IOException closed) {
                caller.reconnect();
                continue;
            }
            refused += answer.status() == 403 ? 1 : 0;
            boolean isAllowed = target.matches("/([?#].*)?") || target.startsWith("/api/rules?");
            assertThat(answer.status()).as(target).isIn(isAllowed ? List.of(200) : List.of(400, 403, 404));
            assertThat(answer.body()).as(target).doesNotContain("\"actor\"", "\"user:");
        }
        assertThat(refused).isPositive();
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
