package io.sluice.center.identity;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.signin.settings.OidcServer;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RefreshTokensTest {

    @TempDir
    Path folder;

    private Path secret;
    private RefreshTokens tokens;

    @BeforeEach
    void open() throws Exception {
        secret = Files.writeString(folder.resolve("secret"), "the first secret\n");
        tokens = of("corp");
    }

    private RefreshTokens of(String server) {
        return new RefreshTokens(new OidcServer(
                server,
                "Corp",
                URI.create("https://login.example"),
                "sluice",
                secret,
                OidcServer.DEFAULT_SCOPES,
                Set.of(),
                Optional.empty(),
                OidcServer.Claims.USUAL,
                List.of()));
    }

    @Test
    void aTokenIsReadByThePersonAndTheServerItIsFor() {
        String stored = tokens.encrypted("a refresh token", "ann");
        assertThat(stored).doesNotContain("refresh");
        assertThat(tokens.encrypted("a refresh token", "ann")).isNotEqualTo(stored);
        assertThat(tokens.decrypted(stored, "ann")).contains("a refresh token");
        assertThat(tokens.decrypted(stored, "bob")).isEmpty();
        assertThat(of("another").decrypted(stored, "ann")).isEmpty();
    }

    @Test
    void aTokenIsLostWithTheSecretOfTheClient() throws Exception {
        String stored = tokens.encrypted("a refresh token", "ann");
        Files.writeString(secret, "the second secret\n");
        assertThat(tokens.decrypted(stored, "ann")).isEmpty();
        assertThat(tokens.decrypted(tokens.encrypted("another", "ann"), "ann")).contains("another");
        Files.writeString(secret, "the first secret\n");
        assertThat(tokens.decrypted(stored, "ann")).contains("a refresh token");
        Files.delete(secret);
        assertThat(tokens.decrypted(stored, "ann")).isEmpty();
        assertThat(tokens.encrypted("a refresh token", "ann")).isEmpty();
    }

    @Test
    void whatIsNotOfThisProgramIsNoToken() {
        assertThat(tokens.encrypted("", "ann")).isEmpty();
        String stored = tokens.encrypted("a refresh token", "ann");
        String first = stored.startsWith("A") ? "B" : "A";
        for (String other : List.of("", "AAAA", "no base64!", first + stored.substring(1), stored.substring(4))) {
            assertThat(tokens.decrypted(other, "ann")).as(other).isEmpty();
        }
    }
}
