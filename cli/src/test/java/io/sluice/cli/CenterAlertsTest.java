package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.center.destination.AlertSettings;
import io.sluice.center.destination.AlertSettings.Encryption;
import io.sluice.center.destination.AlertSettings.Login;
import io.sluice.center.destination.AlertSeverity;
import io.sluice.cli.alert.AlertPlaces;
import io.sluice.node.config.ConfigFile;
import io.sluice.node.config.ConfigRefusedException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The destinations of alerts in the configuration of a center. */
class CenterAlertsTest {

    private static final Set<AlertSeverity> ALL = Set.of(AlertSeverity.values());

    @TempDir
    Path folder;

    @Test
    void theConfigNamesDestinations() throws Exception {
        assertThat(AlertPlaces.of(read("""
                center:
                  alerts:
                    webhooks:
                      - url: https://alerts.example/sluice?team=a
                      - {url: "http://127.0.0.1:9000/", secret_file: hook.secret, ca: ca.pem, severities: [critical]}
                    email:
                      host: mail.example
                      user: sluice
                      password_file: mail.password
                      from: sluice@example.com
                      to: [oncall@example.com, "ops+night@example.com"]
                      severities: [warning, critical]
                """).centerRole().alerts()))
                .isEqualTo(new AlertSettings(
                        List.of(
                                new AlertSettings.Webhook(
                                        URI.create("https://alerts.example/sluice?team=a"),
                                        Optional.empty(),
                                        Optional.empty(),
                                        ALL),
                                new AlertSettings.Webhook(
                                        URI.create("http://127.0.0.1:9000/"),
                                        Optional.of(folder.resolve("hook.secret")),
                                        Optional.of(folder.resolve("ca.pem")),
                                        Set.of(AlertSeverity.CRITICAL))),
                        Optional.of(new AlertSettings.Email(
                                "mail.example",
                                587,
                                Encryption.STARTTLS,
                                Optional.of(new Login("sluice", folder.resolve("mail.password"))),
                                Optional.empty(),
                                "sluice@example.com",
                                List.of("oncall@example.com", "ops+night@example.com"),
                                Set.of(AlertSeverity.WARNING, AlertSeverity.CRITICAL)))));
        assertThat(AlertPlaces.of(read("center: {port: 1}").centerRole().alerts()))
                .isEqualTo(AlertSettings.NONE);
    }

    @Test
    void thePortFollowsFromTheProtection() throws Exception {
        assertThat(port("tls")).isEqualTo(465);
        assertThat(port("none")).isEqualTo(25);
        assertThat(port("starttls")).isEqualTo(587);
    }

    @Test
    void everyMistakeIsNamed() {
        assertThat(webhook("{}")).contains("url: missing");
        assertThat(webhook("{url: \"ftp://h/x?key=s3cret\"}"))
                .contains("url: not usable")
                .doesNotContain("s3cret");
        assertThat(webhook("{url: \"https://user:s3cret@h/\"}"))
                .contains("url: not usable")
                .doesNotContain("s3cret");
        assertThat(webhook("{url: \"https://h/\", secret: s3cret}"))
                .contains("expected: secret_file")
                .doesNotContain("s3cret");
        assertThat(webhook("{url: \"https://h/\", severities: [loud]}")).contains("severities: loud (expected");
        assertThat(webhook("{url: \"https://h/\", method: PUT}")).contains("unknown key: method");
        assertThat(email("host: h, from: a@b.c")).contains("to: missing");
        assertThat(email("host: h, from: nobody, to: [a@b.c]")).contains("from: nobody (expected");
        assertThat(email("host: h, from: a@b.c, to: [\"a@b.c\\nBcc: x@y.z\"]")).contains("to: ");
        assertThat(email("host: h, from: a@b.c, to: [a@b.c], user: u")).contains("without its counterpart");
        assertThat(email("host: h, from: a@b.c, to: [a@b.c], user: u, password: s3cret"))
                .contains("expected: password_file")
                .doesNotContain("s3cret");
        assertThat(email("host: h, from: a@b.c, to: [a@b.c], user: u, password_file: p, tls: none"))
                .contains("tls: none with a password");
        assertThat(email("host: h, from: a@b.c, to: [a@b.c], tls: maybe")).contains("tls: maybe (expected");
        assertThat(email("host: h, from: a@b.c, to: []")).contains("to: 0 usable addresses");
    }

    private int port(String tls) throws Exception {
        return read("center: {alerts: {email: {host: h, from: a@b.c, to: [a@b.c], tls: " + tls + "}}}")
                .centerRole()
                .alerts()
                .email()
                .orElseThrow()
                .port();
    }

    private ConfigFile read(String text) throws ConfigRefusedException {
        return ConfigFile.parse(folder.resolve("sluice.yaml"), text);
    }

    private String webhook(String fields) {
        return errors("webhooks: [" + fields + "]");
    }

    private String email(String fields) {
        return errors("email: {" + fields + "}");
    }

    private String errors(String alerts) {
        ConfigRefusedException refused =
                catchThrowableOfType(ConfigRefusedException.class, () -> read("center: {alerts: {" + alerts + "}}"));
        return String.valueOf(refused == null ? List.of() : refused.errors());
    }
}
