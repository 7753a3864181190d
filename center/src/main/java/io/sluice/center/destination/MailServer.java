package io.sluice.center.destination;

import io.sluice.center.destination.AlertSettings.Encryption;
import io.sluice.center.log.LogText;
import io.sluice.center.remote.Conversation;
import io.sluice.center.remote.RemoteSockets;
import io.sluice.center.remote.SecretText;
import io.sluice.core.time.Clock;
import io.sluice.runtime.center.CenterTrust;
import jakarta.mail.Address;
import jakarta.mail.AuthenticationFailedException;
import jakarta.mail.Message;
import jakarta.mail.MessagingException;
import jakarta.mail.SendFailedException;
import jakarta.mail.Session;
import jakarta.mail.Transport;
import jakarta.mail.internet.AddressException;
import jakarta.mail.internet.InternetAddress;
import jakarta.mail.internet.MimeMessage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends alerts by e-mail, in English and Chinese. */
final class MailServer implements Destination {

    private static final Logger LOG = LoggerFactory.getLogger(MailServer.class);

    /** The default timeout of a whole conversation. Some servers answer the first command late on purpose. */
    private static final Duration USUAL_PATIENCE = Duration.ofSeconds(30);

    private static final int LONGEST_SUBJECT = 150;
    private static final String KEY = "center.alerts.email.password_file";

    private final AlertSettings.Email settings;
    private final Clock clock;
    private final Duration patience;
    private final SSLSocketFactory tls;
    private volatile @Nullable Conversation underWay;

    MailServer(AlertSettings.Email settings, Clock clock) throws IOException {
        this(settings, clock, USUAL_PATIENCE);
    }

    /**
     * Creates a destination.
     *
     * @param patience the timeout of a conversation
     */
    MailServer(AlertSettings.Email settings, Clock clock, Duration patience) throws IOException {
        this.settings = settings;
        this.clock = clock;
        this.patience = patience;
        this.tls = tls(settings);
        Optional<String> unused = password();
    }

    private static SSLSocketFactory tls(AlertSettings.Email settings) throws IOException {
        try {
            return settings.ca().isPresent()
                    ? CenterTrust.context(settings.ca().get()).getSocketFactory()
                    : (SSLSocketFactory) SSLSocketFactory.getDefault();
        } catch (IllegalArgumentException e) {
            throw new IOException("center.alerts.email.ca: " + e.getMessage(), e);
        }
    }

    /** Returns a session whose connections belong to a conversation. */
    private Session session(Conversation conversation) {
        RemoteSockets sockets = new RemoteSockets(conversation, tls);
        Properties properties = new Properties();
        properties.put("mail.transport.protocol", "smtp");
        properties.put("mail.smtp.host", settings.host());
        // One refused address must not prevent the mail to the other addresses.
        properties.put("mail.smtp.sendpartial", "true");
        properties.put("mail.smtp.port", String.valueOf(settings.port()));
        // With TLS from the start, the library connects by itself.
        properties.put(
                "mail.smtp.connectiontimeout",
                String.valueOf(conversation.left().toMillis()));
        properties.put("mail.smtp.socketFactory", sockets.plain());
        properties.put("mail.smtp.socketFactory.fallback", "false");
        properties.put("mail.smtp.ssl.socketFactory", sockets);
        properties.put("mail.smtp.ssl.socketFactory.fallback", "false");
        properties.put("mail.smtp.ssl.checkserveridentity", "true");
        properties.put("mail.smtp.ssl.protocols", "TLSv1.3 TLSv1.2");
        // This is also the end of the message ids, which would otherwise name this machine.
        properties.put("mail.from", settings.from());
        if (settings.encryption() == Encryption.STARTTLS) {
            properties.put("mail.smtp.starttls.enable", "true");
            properties.put("mail.smtp.starttls.required", "true");
        } else if (settings.encryption() == Encryption.TLS) {
            properties.put("mail.smtp.ssl.enable", "true");
        }
        if (settings.login().isPresent()) {
            properties.put("mail.smtp.auth", "true");
        }
        return Session.getInstance(properties);
    }

    @Override
    public void send(String id, List<AlertMessage> messages) throws IOException {
        try (Conversation conversation = Conversation.begin(clock, patience)) {
            underWay = conversation;
            converse(conversation, id, messages);
        } finally {
            underWay = null;
        }
    }

    private void converse(Conversation conversation, String id, List<AlertMessage> messages) throws IOException {
        try {
            Session session = session(conversation);
            MimeMessage mail = mail(session, id, messages);
            try (Transport transport = session.getTransport("smtp")) {
                if (settings.login().isPresent()) {
                    transport.connect(settings.login().get().user(), password().orElseThrow());
                } else {
                    transport.connect();
                }
                transport.sendMessage(mail, mail.getAllRecipients());
            }
        } catch (AuthenticationFailedException e) {
            throw new IOException("the mail server refuses the user or the password", e);
        } catch (SendFailedException e) {
            if (e.getValidSentAddresses() != null && e.getValidSentAddresses().length > 0) {
                LOG.warn("the mail server refuses some addresses of alerts: {}", LogText.line(words(e)));
                return;
            }
            throw new IOException("the mail server refuses the message: " + LogText.line(words(e)), e);
        } catch (MessagingException e) {
            throw new IOException(conversation.problem().orElseGet(() -> LogText.line(words(e))), e);
        }
    }

    @Override
    public void disconnect() {
        Conversation conversation = underWay;
        if (conversation != null) {
            conversation.close();
        }
    }

    @SuppressWarnings("JavaUtilDate") // the type of the library
    private MimeMessage mail(Session session, String id, List<AlertMessage> messages) throws MessagingException {
        MimeMessage mail = new MimeMessage(session);
        mail.setFrom(address(settings.from()));
        for (String to : settings.to()) {
            mail.addRecipient(Message.RecipientType.TO, address(to));
        }
        mail.setSubject(subject(messages), StandardCharsets.UTF_8.name());
        mail.setText(text(messages), StandardCharsets.UTF_8.name());
        mail.setSentDate(sent());
        mail.setHeader("Auto-Submitted", "auto-generated");
        mail.setHeader(Webhook.DELIVERY, id);
        return mail;
    }

    /** Returns the time of the mail. The mail library supports no other type. */
    @SuppressWarnings("JavaUtilDate")
    private Date sent() {
        return new Date(clock.epochMicros() / 1000);
    }

    private static Address address(String text) throws AddressException {
        return new InternetAddress(text, true);
    }

    /** Returns one line without control characters, so that it cannot end the header. */
    static String subject(List<AlertMessage> messages) {
        AlertMessage first = messages.get(0);
        String more = messages.size() == 1 ? "" : " (+" + (messages.size() - 1) + ")";
        String line = LogText.line(
                "[Sluice] " + english(first) + " / " + chinese(first) + ": " + first.kind() + ", " + first.subject());
        return cut(line, LONGEST_SUBJECT) + more;
    }

    private static String cut(String line, int most) {
        if (line.length() <= most) {
            return line;
        }
        boolean isPair = Character.isHighSurrogate(line.charAt(most - 1));
        return line.substring(0, isPair ? most - 1 : most) + "…";
    }

    private static String english(AlertMessage message) {
        return switch (message.event()) {
            case FIRING -> message.severity().word();
            case REPEATED -> "still " + message.severity().word();
            case RESOLVED -> "resolved";
        };
    }

    private static String chinese(AlertMessage message) {
        String severity =
                switch (message.severity()) {
                    case INFO -> "提示";
                    case WARNING -> "警告";
                    case CRITICAL -> "严重";
                };
        return switch (message.event()) {
            case FIRING -> severity;
            case REPEATED -> "仍为" + severity;
            case RESOLVED -> "已恢复";
        };
    }

    private static String text(List<AlertMessage> messages) {
        StringBuilder text = new StringBuilder();
        for (AlertMessage message : messages) {
            text.append(english(message)).append(" / ").append(chinese(message));
            text.append(": ").append(LogText.line(message.kind())).append("\r\n");
            text.append(LogText.line(message.summary())).append("\r\n");
            text.append(LogText.line(message.chinese())).append("\r\n");
            text.append("Since / 开始于: ").append(LogText.line(message.since())).append("\r\n");
            text.append(message.link()).append("\r\n\r\n");
        }
        return text.toString();
    }

    private static String words(MessagingException e) {
        Throwable cause = e.getNextException();
        String message = String.valueOf(e.getMessage());
        return cause == null || cause.getMessage() == null ? message : message + ": " + cause.getMessage();
    }

    private Optional<String> password() throws IOException {
        return settings.login().isEmpty()
                ? Optional.empty()
                : Optional.of(SecretText.read(KEY, settings.login().get().passwordFile()));
    }
}
