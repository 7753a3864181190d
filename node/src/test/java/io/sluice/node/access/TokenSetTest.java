package io.sluice.node.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TokenSetTest {

    private static final String ONE = "0123456789abcdef";
    private static final String TWO = "AbC.d-e_f~g+h/0123456789==";

    @Test
    void admitsEveryTokenOfTheFile() throws Exception {
        TokenSet tokens = TokenSet.read("f", "\uFEFF# first\r\n" + ONE + "\r\n\r\n  " + TWO + "  \n");

        assertThat(tokens.admits(List.of("Bearer " + ONE))).isTrue();
        assertThat(tokens.admits(List.of("bearer  " + TWO))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Bearer",
                "Bearer ",
                ONE,
                "Basic " + ONE,
                "Bearer\t" + ONE,
                "Bearer0123456789abcdef",
                "Bearer 0123456789abcdeF",
                "Bearer 0123456789abcde",
                "Bearer 0123456789abcdef0",
                "Bearer " + ONE + " " + ONE,
                "Bearer # first",
                "Bearer 0123456789abcd\u00eff"
            })
    void admitsNothingElse(String authorization) throws Exception {
        assertThat(TokenSet.read("f", "# first\n" + ONE).admits(List.of(authorization)))
                .isFalse();
    }

    @Test
    void admitsNeitherNoTokenNorSeveral() throws Exception {
        TokenSet tokens = TokenSet.read("f", ONE);

        assertThat(tokens.admits(List.of())).isFalse();
        assertThat(tokens.admits(List.of("Bearer " + ONE, "Bearer " + ONE))).isFalse();
    }

    @Test
    void refusesAFileThatCannotBeMeant() {
        refuses("", "f:1: no token (expected: one per line, such as openssl rand -hex 32 prints)");
        refuses("# a\n\n", "f:2: no token (expected: one per line, such as openssl rand -hex 32 prints)");
        refuses("# a\n123456789012345", "f:2: token with 15 characters (expected: 16..1024)");
        refuses("a".repeat(1_025), "f:1: token with 1025 characters (expected: 16..1024)");
        refuses(
                ONE + " # mine",
                "f:1: token with characters that no header carries (expected: letters, digits and - . _ ~ + /)");
        refuses((ONE + "\n").repeat(1_001), "f:1001: too many tokens (expected: at most 1000)");
    }

    @Test
    void errorsShowNoToken() {
        assertThatThrownBy(() -> TokenSet.read("f", ONE + "\nsecret but short"))
                .hasMessageNotContaining("secret")
                .hasMessageNotContaining(ONE);
    }

    private static void refuses(String text, String message) {
        assertThatThrownBy(() -> TokenSet.read("f", text)).hasMessage(message);
    }
}
