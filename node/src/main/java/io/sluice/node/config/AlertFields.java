package io.sluice.node.config;

import io.sluice.node.config.CenterAlerts.Email;
import io.sluice.node.config.CenterAlerts.Webhook;
import io.sluice.rules.yaml.Errors;
import io.sluice.rules.yaml.Fields;
import io.sluice.rules.yaml.PrintableText;
import io.sluice.rules.yaml.YamlValue;
import io.sluice.rules.yaml.YamlValue.YamlScalar;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;

/** Reads the destinations of a center's alerts. Secrets are named only by their files. */
final class AlertFields {

    private static final List<String> WEBHOOK_KEYS = List.of("url", "secret_file", "ca", "severities");
    private static final List<String> EMAIL_KEYS =
            List.of("host", "port", "tls", "user", "password_file", "ca", "from", "to", "severities");
    private static final Map<String, String> SECRETS = Map.of(
            "secret",
            "secret: not in this file (expected: secret_file, a file that holds only the secret)",
            "password",
            "password: not in this file (expected: password_file, a file that holds only the password)");
    private static final List<String> SEVERITIES = List.of("info", "warning", "critical");

    /** The default port of each protection. */
    private static final Map<String, Integer> PORTS = Map.of("starttls", 587, "tls", 465, "none", 25);

    private static final Pattern HOST = Pattern.compile("[A-Za-z0-9._:-]{1,255}");
    private static final Pattern ADDRESS =
            Pattern.compile("[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,253}[A-Za-z0-9])?");
    private static final int MOST_WEBHOOKS = 10;
    private static final int MOST_RECIPIENTS = 50;
    private static final int HIGHEST_PORT = 65_535;

    private final Function<String, Path> beside;
    private final Errors errors;

    private AlertFields(Function<String, Path> beside, Errors errors) {
        this.beside = beside;
        this.errors = errors;
    }

    static CenterAlerts read(Fields center, Function<String, Path> beside, Errors errors) {
        AlertFields reader = new AlertFields(beside, errors);
        return center.fields("alerts", List.of("webhooks", "email"))
                .map(reader::alerts)
                .orElse(CenterAlerts.NONE);
    }

    private CenterAlerts alerts(Fields fields) {
        List<Webhook> webhooks = new ArrayList<>();
        fields.list("webhooks").orElse(List.of()).stream()
                .map(this::webhook)
                .flatMap(Optional::stream)
                .forEach(webhooks::add);
        if (webhooks.size() > MOST_WEBHOOKS) {
            fields.error("webhooks", "webhooks: " + webhooks.size() + " (expected: at most " + MOST_WEBHOOKS + ")");
        }
        Optional<Email> email = fields.value("email").flatMap(this::email);
        return new CenterAlerts(webhooks, email);
    }

    private Optional<Webhook> webhook(YamlValue value) {
        return Fields.of("webhooks", value, WEBHOOK_KEYS, SECRETS, errors).flatMap(fields -> {
            required(fields, "url", "a URL such as https://alerts.example/sluice");
            Optional<URI> url = fields.read("url", AlertFields::url);
            List<String> severities = severities(fields);
            return url.map(address -> new Webhook(
                    address,
                    fields.text("secret_file").map(beside),
                    fields.text("ca").map(beside),
                    severities));
        });
    }

    private Optional<Email> email(YamlValue value) {
        return Fields.of("email", value, EMAIL_KEYS, SECRETS, errors).flatMap(this::email);
    }

    private Optional<Email> email(Fields fields) {
        required(fields, "host", "the name of a mail server, such as mail.example");
        required(fields, "from", "an address such as sluice@example.com");
        required(fields, "to", "addresses such as [oncall@example.com]");
        Optional<String> host = fields.read("host", text -> matching("host", text, HOST, "such as mail.example"));
        Optional<String> from =
                fields.read("from", text -> matching("from", text, ADDRESS, "such as sluice@example.com"));
        List<String> to = words(fields, "to", ADDRESS, "such as oncall@example.com");
        if (to.size() > MOST_RECIPIENTS || (fields.has("to") && to.isEmpty())) {
            fields.error("to", "to: " + to.size() + " usable addresses (expected: 1 to " + MOST_RECIPIENTS + ")");
        }
        String tls = fields.choice("tls", Map.of("starttls", "starttls", "tls", "tls", "none", "none"))
                .orElse("starttls");
        Optional<String> user = fields.text("user");
        if (user.isPresent() != fields.has("password_file")) {
            fields.error(
                    user.isPresent() ? "user" : "password_file",
                    "user: without its counterpart (expected: user and password_file, or none of them)");
        }
        if (user.isPresent() && tls.equals("none")) {
            fields.error("tls", "tls: none with a password (expected: starttls or tls)");
        }
        int port = fields.whole("port", 1, HIGHEST_PORT).map(Long::intValue).orElse(PORTS.getOrDefault(tls, 0));
        List<String> severities = severities(fields);
        return host.flatMap(name -> from.map(sender -> new Email(
                name,
                port,
                tls,
                user,
                fields.text("password_file").map(beside),
                fields.text("ca").map(beside),
                sender,
                to,
                severities)));
    }

    private List<String> severities(Fields fields) {
        List<String> chosen = fields.words("severities")
                .map(words -> words.stream().map(YamlScalar::text).distinct().toList())
                .orElse(SEVERITIES);
        if (chosen.isEmpty() || !SEVERITIES.containsAll(chosen)) {
            fields.error(
                    "severities",
                    "severities: " + PrintableText.text(String.join(", ", chosen))
                            + " (expected: some of info, warning and critical)");
        }
        return chosen;
    }

    private List<String> words(Fields fields, String key, Pattern form, String expected) {
        List<String> found = new ArrayList<>();
        for (YamlScalar word : fields.words(key).orElse(List.of())) {
            try {
                found.add(matching(key, word.text(), form, expected));
            } catch (IllegalArgumentException e) {
                errors.add(word.place(), String.valueOf(e.getMessage()));
            }
        }
        return found;
    }

    private static void required(Fields fields, String key, String expected) {
        if (!fields.has(key)) {
            fields.error(key, key + ": missing (expected: " + expected + ")");
        }
    }

    private static String matching(String key, String text, Pattern form, String expected) {
        if (form.matcher(text).matches()) {
            return text;
        }
        throw new IllegalArgumentException(key + ": " + PrintableText.text(text) + " (expected: " + expected + ")");
    }

    /** The error does not repeat the address, because its path or query may be secret. */
    private static URI url(String text) {
        try {
            URI url = new URI(text);
            boolean isHttp = "https".equals(url.getScheme()) || "http".equals(url.getScheme());
            if (isHttp
                    && url.getHost() != null
                    && url.getPort() <= HIGHEST_PORT
                    && url.getRawUserInfo() == null
                    && url.getRawFragment() == null) {
                return url;
            }
        } catch (URISyntaxException e) {
            // Reported below.
        }
        throw new IllegalArgumentException(
                "url: not usable (expected: https:// or http:// with a host and without user and fragment, such as"
                        + " https://alerts.example/sluice)");
    }
}
