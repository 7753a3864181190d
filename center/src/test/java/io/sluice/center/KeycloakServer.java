package io.sluice.center;

import io.sluice.testkit.Await;
import io.sluice.testkit.process.Ports;
import io.sluice.testkit.process.ServerProcess;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A real Keycloak on a free loopback port, with a realm {@code corp}, and what its administrator does there. Maven downloads it, 160 MB.
 */
final class KeycloakServer implements AutoCloseable {

    private static final String VERSION = "26.4.0";
    private static final String PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.11.0:copy";
    private static final Duration START = Duration.ofMinutes(10);
    private static final String REALM = "/admin/realms/corp";
    private static final JsonMapper JSON = JsonMapper.shared();

    /** Tokens of the realm are valid for this long, because tests set the clock of the center forward. */
    private static final long LIFE_SECONDS = Duration.ofDays(3).toSeconds();

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final int port = Ports.free();
    private final ServerProcess process;
    private String token = "none";

    private KeycloakServer() {
        process = ServerProcess.start(this::command);
    }

    /** Downloads it if it is missing, starts it, and waits until it has a realm. */
    static KeycloakServer start() {
        KeycloakServer server = new KeycloakServer();
        server.awaitAnswer();
        server.post(
                "/admin/realms",
                Map.of(
                        "realm",
                        "corp",
                        "enabled",
                        true,
                        "accessTokenLifespan",
                        LIFE_SECONDS,
                        "ssoSessionIdleTimeout",
                        LIFE_SECONDS,
                        "ssoSessionMaxLifespan",
                        LIFE_SECONDS));
        return server;
    }

    private List<String> command(Path folder) {
        try {
            unzip(downloaded(), folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Path home = folder.resolve("keycloak-" + VERSION);
        return List.of(
                "env",
                "JAVA_HOME=" + System.getProperty("java.home"),
                "JAVA_OPTS_KC_HEAP=-Xmx512m",
                "JAVA_OPTS_APPEND=-XX:TieredStopAtLevel=1",
                "KC_BOOTSTRAP_ADMIN_USERNAME=admin",
                "KC_BOOTSTRAP_ADMIN_PASSWORD=admin",
                "bash",
                home.resolve("bin/kc.sh").toString(),
                "start-dev",
                "--http-host=127.0.0.1",
                "--http-port=" + port);
    }

    private static Path downloaded() throws IOException {
        Path folder = Path.of("target", "keycloak").toAbsolutePath();
        Path file = folder.resolve("keycloak-quarkus-dist-" + VERSION + ".zip");
        if (!Files.exists(file)) {
            Process maven = new ProcessBuilder(
                            "mvn",
                            "-B",
                            "-ntp",
                            PLUGIN,
                            "-Dartifact=org.keycloak:keycloak-quarkus-dist:" + VERSION + ":zip",
                            "-DoutputDirectory=" + folder)
                    .redirectErrorStream(true)
                    .start();
            String printed = new String(maven.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            try {
                if (maven.waitFor() != 0 || !Files.exists(file)) {
                    throw new IOException("Maven cannot download Keycloak: " + printed);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
        }
        return file;
    }

    private static void unzip(Path zip, Path folder) throws IOException {
        try (InputStream file = Files.newInputStream(zip);
                ZipInputStream entries = new ZipInputStream(file)) {
            for (ZipEntry entry = entries.getNextEntry(); entry != null; entry = entries.getNextEntry()) {
                Path to = folder.resolve(entry.getName());
                if (entry.isDirectory()) {
                    Files.createDirectories(to);
                } else {
                    Files.createDirectories(Objects.requireNonNull(to.getParent()));
                    Files.copy(entries, to);
                }
            }
        }
    }

    /** Ends it, and waits until it has ended. */
    void stop() {
        // A killed H2 loses the last half second, and with it the session of a person who has just signed in.
        ProcessHandle.of(process.pid()).filter(ProcessHandle::destroy).ifPresent(ended -> ended.onExit()
                .join());
        process.kill();
    }

    /** Starts it again with its data. */
    void startAgain() {
        process.relaunch();
        awaitAnswer();
    }

    private void awaitAnswer() {
        Await.until("Keycloak answers", START, () -> {
            if (!process.isAlive()) {
                throw new AssertionError("Keycloak has ended: " + process.log());
            }
            try {
                return send(HttpRequest.newBuilder(uri("/realms/master")).GET()).statusCode() == 200;
            } catch (UncheckedIOException e) {
                return false;
            }
        });
    }

    URI issuer() {
        return uri("/realms/corp");
    }

    /**
     * Creates a client for a center, as the steps in the documentation do, without a mapper for groups.
     *
     * @return the id in addresses
     */
    String client(String name, URI publicUrl, String secret) {
        for (JsonNode old : get(REALM + "/clients?clientId=" + name)) {
            delete(REALM + "/clients/" + old.get("id").asString());
        }
        String routes = publicUrl + "/sign-in/oidc/" + name;
        post(
                REALM + "/clients",
                Map.of(
                        "clientId",
                        name,
                        "protocol",
                        "openid-connect",
                        "publicClient",
                        false,
                        "secret",
                        secret,
                        "standardFlowEnabled",
                        true,
                        "directAccessGrantsEnabled",
                        false,
                        "redirectUris",
                        List.of(routes + "/callback"),
                        "attributes",
                        Map.of(
                                "backchannel.logout.url",
                                routes + "/logout",
                                "backchannel.logout.session.required",
                                "true")));
        return get(REALM + "/clients?clientId=" + name).get(0).get("id").asString();
    }

    /** Configures a mapper that puts something into the claim groups of the ID token and of user info. */
    void mapper(String client, String type, Map<String, String> more) {
        Map<String, String> config =
                new HashMap<>(Map.of("claim.name", "groups", "id.token.claim", "true", "userinfo.token.claim", "true"));
        config.putAll(more);
        post(
                REALM + "/clients/" + client + "/protocol-mappers/models",
                Map.of("name", "groups", "protocol", "openid-connect", "protocolMapper", type, "config", config));
    }

    /** Returns another secret of a client, which replaces the one before. */
    String anotherSecret(String client) {
        return post(REALM + "/clients/" + client + "/client-secret", Map.of())
                .get("value")
                .asString();
    }

    void group(String name) {
        post(REALM + "/groups", Map.of("name", name));
    }

    /** Adds a person to groups. */
    void person(String name, String... groups) {
        post(
                REALM + "/users",
                Map.of(
                        "username",
                        name,
                        "enabled",
                        true,
                        "email",
                        name + "@example.com",
                        "emailVerified",
                        true,
                        "firstName",
                        name,
                        "lastName",
                        "Example",
                        "groups",
                        Stream.of(groups).map(group -> "/" + group).toList(),
                        "credentials",
                        List.of(Map.of("type", "password", "value", OidcTestServer.PASSWORD))));
    }

    /** Gives a person a role of the realm, which is created. */
    void realmRole(String role, String person) {
        post(REALM + "/roles", Map.of("name", role));
        JsonNode found = get(REALM + "/roles/" + role);
        post(
                user(person) + "/role-mappings/realm",
                List.of(Map.of("id", found.get("id").asString(), "name", role)));
    }

    void join(String person, String group) {
        send("PUT", membership(person, group), Map.of());
    }

    void leave(String person, String group) {
        delete(membership(person, group));
    }

    void enable(String person, boolean isEnabled) {
        send("PUT", user(person), Map.of("enabled", isEnabled));
    }

    void deletePerson(String person) {
        delete(user(person));
    }

    /** Returns what names a person to clients. */
    String subject(String person) {
        return get(REALM + "/users?exact=true&username=" + person)
                .get(0)
                .get("id")
                .asString();
    }

    private String membership(String person, String group) {
        String id = get(REALM + "/groups?exact=true&search=" + group)
                .get(0)
                .get("id")
                .asString();
        return user(person) + "/groups/" + id;
    }

    private String user(String person) {
        return REALM + "/users/" + subject(person);
    }

    private JsonNode get(String path) {
        return JSON.readTree(send("GET", path, Map.of()));
    }

    private JsonNode post(String path, Object body) {
        String answer = send("POST", path, body);
        return answer.isEmpty() ? JSON.createObjectNode() : JSON.readTree(answer);
    }

    private void delete(String path) {
        send("DELETE", path, Map.of());
    }

    private String send(String method, String path, Object body) {
        HttpResponse<String> response = sendWithToken(method, path, body);
        if (response.statusCode() == 401) {
            // The token is valid for a minute.
            token = administrator();
            response = sendWithToken(method, path, body);
        }
        if (response.statusCode() >= 300) {
            throw new AssertionError(method + " " + path + ": status " + response.statusCode() + " " + response.body());
        }
        return response.body();
    }

    private HttpResponse<String> sendWithToken(String method, String path, Object body) {
        return send(HttpRequest.newBuilder(uri(path))
                .header("Authorization", "Bearer " + token)
                .header("Content-Type", "application/json")
                .method(
                        method,
                        method.equals("GET")
                                ? BodyPublishers.noBody()
                                : BodyPublishers.ofString(JSON.writeValueAsString(body))));
    }

    private String administrator() {
        HttpResponse<String> response = send(HttpRequest.newBuilder(uri("/realms/master/protocol/openid-connect/token"))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(BodyPublishers.ofString(
                        "grant_type=password&client_id=admin-cli&username=admin&password=admin")));
        return JSON.readTree(response.body()).get("access_token").asString();
    }

    private HttpResponse<String> send(HttpRequest.Builder request) {
        try {
            return http.send(request.timeout(Duration.ofMinutes(2)).build(), BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private URI uri(String path) {
        return URI.create("http://127.0.0.1:" + port + path);
    }

    @Override
    public void close() {
        process.close();
    }
}
