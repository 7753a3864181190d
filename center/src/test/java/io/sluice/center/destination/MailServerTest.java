package io.sluice.center.destination;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.ServerSetup;
import io.sluice.center.destination.AlertSettings.Encryption;
import io.sluice.center.destination.AlertSettings.Login;
import io.sluice.core.time.ManualClock;
import io.sluice.testkit.Await;
import io.sluice.testkit.QuietClock;
import io.sluice.testkit.process.SelfSigned;
import jakarta.mail.internet.MimeMessage;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Alerts through a real mail server. */
class MailServerTest {

    private static final Duration SOON = Duration.ofMinutes(5);
    private static final Set<AlertSeverity> ALL = Set.of(AlertSeverity.values());

    @TempDir
    Path folder;

    private final ManualClock clock = QuietClock.at(1_800_000_000_000_000L);
    private GreenMail mail;
    private int port;

    @BeforeEach
    void start() {
        mail = new GreenMail(new ServerSetup(0, "127.0.0.1", ServerSetup.PROTOCOL_SMTP));
        mail.start();
        mail.setUser("sluice", "correct horse");
        port = mail.getSmtp().getPort();
    }

    @AfterEach
    void stop() {
        mail.stop();
    }

    @Test
    void aMailSaysItInEnglishAndChinese() throws Exception {
        plain("oncall@example.com", "ops@example.com")
                .send("d1", List.of(WebhookTest.message("node n1", AlertSeverity.CRITICAL)));
        MimeMessage[] received = mail.getReceivedMessages();
        assertThat(received).hasSize(2);
        MimeMessage first = received[0];
        assertThat(first.getSubject()).isEqualTo("[Sluice] critical / 严重: degraded, node n1");
        assertThat(first.getFrom()[0]).hasToString("sluice@example.com");
        assertThat(first.getAllRecipients()).hasSize(2);
        assertThat(first.getContentType()).isEqualToIgnoringCase("text/plain; charset=UTF-8");
        assertThat(first.getHeader("Auto-Submitted")).containsExactly("auto-generated");
        assertThat(first.getMessageID()).endsWith("@example.com>");
        assertThat(first.getSentDate().toInstant()).hasToString("2027-01-15T08:00:00Z");
        assertThat((String) first.getContent())
                .contains("Something is wrong with node n1.")
                .contains("node n1 有问题。")
                .contains("https://sluice.example/nodes?id=n1");
    }

    @Test
    void severalAlertsAreOneMail() throws Exception {
        plain("oncall@example.com")
                .send(
                        "d1",
                        List.of(
                                WebhookTest.message("n1", AlertSeverity.INFO),
                                WebhookTest.message("n2", AlertSeverity.INFO)));
        MimeMessage[] received = mail.getReceivedMessages();
        assertThat(received).hasSize(1);
        assertThat(received[0].getSubject()).endsWith("degraded, n1 (+1)");
        assertThat((String) received[0].getContent()).contains("with n1.", "with n2.");
    }

    @Test
    void noTextOfOthersBecomesAHeader() throws Exception {
        String evil = "n1\r\nBcc: thief@example.com\r\n\r\n<script>alert(1)</script>\u2028\u0000" + "x".repeat(2_000);
        AlertMessage message = new AlertMessage(
                AlertMessage.Event.RESOLVED, evil, AlertSeverity.INFO, evil, evil, evil, evil, "https://h/", "{}");
        plain("oncall@example.com").send("d1", List.of(message));
        MimeMessage[] received = mail.getReceivedMessages();
        assertThat(received).hasSize(1);
        assertThat(received[0].getHeader("Bcc")).isNull();
        assertThat(received[0].getAllRecipients()).hasSize(1);
        assertThat(received[0].getSubject())
                .doesNotContain("\r", "\n", "\u0000")
                .hasSizeLessThan(200);
        assertThat(received[0].getContentType()).startsWith("text/plain");
        assertThat(((String) received[0].getContent()).lines()).noneMatch(line -> line.startsWith("Bcc"));
    }

    @Test
    void withStartTlsNothingIsSentBeforeTheServerIsTrusted() throws Exception {
        new SelfSigned(folder).make("mail");
        new SelfSigned(folder).make("other");
        Path password = Files.writeString(folder.resolve("password"), "correct horse\n");
        Optional<Login> login = Optional.of(new Login("sluice", password));
        try (TlsFront front = TlsFront.start(folder.resolve("mail.p12"), port, true)) {
            for (Optional<Path> ca : List.of(Optional.<Path>empty(), Optional.of(folder.resolve("other.crt")))) {
                MailServer untrusted =
                        new MailServer(settings(front.port(), Encryption.STARTTLS, login, ca), clock, SOON);
                assertThatThrownBy(() -> untrusted.send("d1", messages())).isInstanceOf(IOException.class);
            }
            assertThat(mail.getReceivedMessages()).isEmpty();
            Optional<Path> ca = Optional.of(folder.resolve("mail.crt"));
            new MailServer(settings(front.port(), Encryption.STARTTLS, login, ca), clock, SOON).send("d1", messages());
            assertThat(mail.getReceivedMessages()).hasSize(1);
            assertThat(front.plain()).allMatch(line -> line.startsWith("EHLO") || line.equals("STARTTLS"));
        }
        // A server that does not offer it gets nothing.
        MailServer withoutTls =
                new MailServer(settings(port, Encryption.STARTTLS, login, Optional.empty()), clock, SOON);
        assertThatThrownBy(() -> withoutTls.send("d1", messages()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("STARTTLS");
        assertThat(mail.getReceivedMessages()).hasSize(1);
    }

    @Test
    void tlsFromTheBeginning() throws Exception {
        new SelfSigned(folder).make("mail");
        try (TlsFront front = TlsFront.start(folder.resolve("mail.p12"), port, false)) {
            MailServer untrusted = new MailServer(
                    settings(front.port(), Encryption.TLS, Optional.empty(), Optional.empty()), clock, SOON);
            assertThatThrownBy(() -> untrusted.send("d1", messages())).isInstanceOf(IOException.class);
            Optional<Path> ca = Optional.of(folder.resolve("mail.crt"));
            new MailServer(settings(front.port(), Encryption.TLS, Optional.empty(), ca), clock, SOON)
                    .send("d1", messages());
            assertThat(mail.getReceivedMessages()).hasSize(1);
        }
    }

    @Test
    void aWrongPasswordIsNamedAndReadAgain() throws Exception {
        new SelfSigned(folder).make("mail");
        Path password = Files.writeString(folder.resolve("password"), "wrong");
        Optional<Path> ca = Optional.of(folder.resolve("mail.crt"));
        try (TlsFront front = TlsFront.start(folder.resolve("mail.p12"), port, true)) {
            MailServer server = new MailServer(
                    settings(front.port(), Encryption.STARTTLS, Optional.of(new Login("sluice", password)), ca),
                    clock,
                    SOON);
            assertThatThrownBy(() -> server.send("d1", messages()))
                    .isInstanceOf(IOException.class)
                    .hasMessage("the mail server refuses the user or the password");
            assertThat(mail.getReceivedMessages()).isEmpty();
            Files.writeString(password, "correct horse");
            server.send("d1", messages());
            assertThat(mail.getReceivedMessages()).hasSize(1);
        }
    }

    @Test
    void aServerThatIsAwayGetsEverythingWhenItIsBack() throws Exception {
        new SelfSigned(folder).make("mail");
        Optional<Path> ca = Optional.of(folder.resolve("mail.crt"));
        try (TlsFront front = TlsFront.start(folder.resolve("mail.p12"), port, false)) {
            front.setAway(true);
            MailServer server =
                    new MailServer(settings(front.port(), Encryption.TLS, Optional.empty(), ca), clock, SOON);
            try (DestinationQueue queue = new DestinationQueue("mail", server, ALL, clock)) {
                queue.start();
                queue.offer(messages());
                Await.until("the failure", SOON, () -> queue.problem().isPresent());
                queue.offer(Collections.nCopies(3, WebhookTest.message("n2", AlertSeverity.INFO)));
                front.setAway(false);
                clock.advance(Duration.ofMinutes(1));
                Await.until("success", SOON, () -> {
                    queue.turn();
                    return queue.state().waiting() == 0;
                });
                assertThat(queue.problem()).isEmpty();
                assertThat(queue.state().dropped()).isZero();
                assertThat(mail.getReceivedMessages()).hasSize(2);
            }
        }
    }

    @Test
    void aReplyWithoutAnEndIsCutOff() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            FutureTask<Long> sent = new FutureTask<>(() -> greetWithoutEnd(server));
            Thread thread = new Thread(sent);
            thread.setDaemon(true);
            thread.start();
            MailServer endless = new MailServer(
                    settings(server.getLocalPort(), Encryption.NONE, Optional.empty(), Optional.empty()), clock, SOON);
            assertThatThrownBy(() -> endless.send("d1", messages()))
                    .isInstanceOf(IOException.class)
                    .hasMessage("its answer has more than 1048576 bytes");
            assertThat(sent.get(SOON.toSeconds(), TimeUnit.SECONDS)).isLessThan(16_000_000);
        }
    }

    /** Sends lines of a greeting until the client ends the connection. Returns how many bytes were sent. */
    private static long greetWithoutEnd(ServerSocket server) throws IOException {
        byte[] lines = "220-still greeting\r\n".repeat(1_000).getBytes(StandardCharsets.US_ASCII);
        long sent = 0;
        try (Socket client = server.accept()) {
            while (sent < 64_000_000) {
                client.getOutputStream().write(lines);
                sent += lines.length;
            }
        } catch (IOException e) {
            // The client has gone.
        }
        return sent;
    }

    @Test
    void aServerThatDoesNotGreetIsGivenUpAtTheDeadline() throws Exception {
        for (Encryption encryption : Encryption.values()) {
            assertGivenUpAtTheDeadline(encryption);
        }
    }

    private void assertGivenUpAtTheDeadline(Encryption encryption) throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            MailServer server = new MailServer(
                    settings(silent.getLocalPort(), encryption, Optional.empty(), Optional.empty()), clock, SOON);
            FutureTask<Throwable> sent = new FutureTask<>(() -> catchThrowable(() -> server.send("d1", messages())));
            Thread thread = new Thread(sent);
            thread.setDaemon(true);
            thread.start();
            try (Socket taken = silent.accept()) {
                // Reading its socket is not idle for a quiet clock.
                ((QuietClock) clock).advanceMeanwhile(SOON);
                assertThat(sent.get(SOON.toSeconds(), TimeUnit.SECONDS))
                        .isInstanceOf(IOException.class)
                        .hasMessage("no complete answer (expected: within 300 s)");
                // What was sent for TLS, and the end.
                int unused = taken.getInputStream().readAllBytes().length;
            }
        }
    }

    @Test
    void aPasswordNeedsProtection() {
        assertThatThrownBy(() -> settings(
                        port, Encryption.NONE, Optional.of(new Login("sluice", folder.resolve("x"))), Optional.empty()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("expected: starttls or tls");
    }

    private static List<AlertMessage> messages() {
        return List.of(WebhookTest.message("n1", AlertSeverity.WARNING));
    }

    private MailServer plain(String... to) throws IOException {
        return new MailServer(
                new AlertSettings.Email(
                        "127.0.0.1",
                        port,
                        Encryption.NONE,
                        Optional.empty(),
                        Optional.empty(),
                        "sluice@example.com",
                        List.of(to),
                        ALL),
                clock,
                SOON);
    }

    private static AlertSettings.Email settings(
            int port, Encryption encryption, Optional<Login> login, Optional<Path> ca) {
        return new AlertSettings.Email(
                "localhost", port, encryption, login, ca, "sluice@example.com", List.of("oncall@example.com"), ALL);
    }
}
