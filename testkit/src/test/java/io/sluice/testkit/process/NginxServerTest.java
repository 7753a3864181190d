package io.sluice.testkit.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;

final class NginxServerTest {

    private static final HttpClient HTTP = HttpClient.newHttpClient();

    @Test
    void servesWhatItsBlockSaysUntilItIsClosed() throws Exception {
        NginxServer nginx = NginxServer.start(2, "map $uri $seen { default 'saw $uri'; }", "return 200 $seen;");
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(nginx.uri() + "/a//b")).build();

        assertThat(HTTP.send(request, HttpResponse.BodyHandlers.ofString()).body())
                .isEqualTo("saw /a/b");

        nginx.close();
        assertThatThrownBy(() -> HTTP.send(request, HttpResponse.BodyHandlers.ofString()))
                .isInstanceOf(ConnectException.class);
    }

    @Test
    void reportsErrorsInItsSettings() {
        assertThatThrownBy(() -> NginxServer.start("nonsense on;"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("unknown directive \"nonsense\"");
    }
}
