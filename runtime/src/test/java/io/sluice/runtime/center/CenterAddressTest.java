package io.sluice.runtime.center;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CenterAddressTest {

    private static final Path FILE = Path.of("token");

    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({
        "http://127.0.0.1:8083, http://127.0.0.1:8083",
        "https://center.example/, https://center.example",
        "HTTPS://center.example:443, https://center.example:443",
        "'http://[::1]:8083', 'http://[::1]:8083'"
    })
    void isAnOrigin(String url, String origin) {
        assertThat(CenterAddress.of(url, FILE).origin()).isEqualTo(URI.create(origin));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "center",
                "center:8083",
                "127.0.0.1:8083",
                "ftp://center",
                "http://",
                "http:///x",
                "http://center/path",
                "http://center#x",
                "http://a b",
                "http://center:99999",
                "redis://center"
            })
    void refusesEverythingElse(String url) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CenterAddress.of(url, FILE))
                .withMessageStartingWith("center: ")
                .withMessageEndingWith("(expected: http://HOST:PORT or https://HOST:PORT)");
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://u:secret@center", "http://center?secret", "http://u:secret@a b"})
    void neverShowsASecret(String url) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CenterAddress.of(url, FILE))
                .withMessage("center: unreadable (expected: http://HOST:PORT or https://HOST:PORT)");
    }

    @Test
    void needsBothSettings() {
        assertThat(CenterAddress.of(Optional.empty(), Optional.empty(), "--center", "--center-token-file"))
                .isEmpty();
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        CenterAddress.of(Optional.of("http://c"), Optional.empty(), "--center", "--center-token-file"))
                .withMessage("--center: without a token (expected: --center-token-file too, a file with the token)");
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> CenterAddress.of(Optional.empty(), Optional.of(FILE), "--center", "--center-token-file"))
                .withMessage("--center-token-file: without a center (expected: --center too)");
    }

    @Test
    void warnsOfATokenThatOthersCanRead() {
        assertThat(CenterAddress.of("http://127.0.0.1:1", FILE).isReadableOnTheWay())
                .isFalse();
        assertThat(CenterAddress.of("http://[::1]:1", FILE).isReadableOnTheWay())
                .isFalse();
        assertThat(CenterAddress.of("http://localhost:1", FILE).isReadableOnTheWay())
                .isFalse();
        assertThat(CenterAddress.of("http://127.example:1", FILE).isReadableOnTheWay())
                .isTrue();
        assertThat(CenterAddress.of("https://192.0.2.1:1", FILE).isReadableOnTheWay())
                .isFalse();
        assertThat(CenterAddress.of("http://192.0.2.1:1", FILE).isReadableOnTheWay())
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"abc-123", "abc-123\n", "# the token of shop-1\n\n abc-123 \r\n"})
    void readsTheToken(String content) throws IOException {
        assertThat(CenterToken.in(token(content)).current()).isEqualTo("abc-123");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''|no token (expected: one line with the token)",
                "'# x\n'|no token (expected: one line with the token)",
                "'secret-a\nsecret-b'|more than one token (expected: one line with the token)",
                "secret é|not a token (expected: letters, digits and - . _ ~ + /, at most 1024 characters)"
            })
    void refusesAFileWithoutAToken(String content, String message) throws IOException {
        Path file = token(content);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> CenterToken.in(file))
                .withMessage("center token file " + file + ": " + message)
                .withMessageNotContaining("secret");
    }

    @Test
    void refusesAFileThatCannotBeRead() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CenterToken.in(folder.resolve("none")))
                .withMessageEndingWith("none: missing (expected: a file with the token of the center)");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CenterToken.in(folder))
                .withMessageContaining("unreadable (expected: a file this user may read");
    }

    @Test
    void takesANewTokenAndKeepsTheLastGoodOne() throws IOException {
        Path file = token("first");
        CenterToken token = CenterToken.in(file);
        Files.writeString(file, "second");
        assertThat(token.current()).isEqualTo("second");
        Files.writeString(file, "");
        assertThat(token.current()).isEqualTo("second");
        Files.delete(file);
        assertThat(token.current()).isEqualTo("second");
    }

    private Path token(String content) throws IOException {
        return Files.writeString(folder.resolve("token"), content);
    }
}
