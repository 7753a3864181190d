package io.sluice.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.node.config.NodeConfig;
import io.sluice.node.config.NodeConfig.RulesFrom;
import io.sluice.runtime.Store;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class HttpQuestionsTest {

    private static final String RULES = """
            rules:
              - id: users
                service: shop
                resource: /api/{version}/orders/**
                methods: [POST]
                match: { tenant: acme }
                limits: [ { by: [user, header.x-app], rate: 1/d } ]
            """;

    @Test
    void looksAtTheLimitsOfTheRulesAndChargesNothing() throws Exception {
        try (RunningNode node =
                RunningNode.start(NodeConfig.inProcess(new RulesFrom.Text("t", RULES), 0), Store::redis)) {
            HttpQuestions questions = HttpQuestions.ofRules(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), node.node.apiPort()), node.node.rules());
            AtomicInteger rounds = new AtomicInteger();
            questions.ask(() -> rounds.incrementAndGet() <= 3);
            assertThat(rounds).hasValue(4);

            List<String> requests = questions.requests();
            assertThat(requests).hasSize(1);
            String body = requests.get(0).substring(requests.get(0).indexOf("\r\n\r\n") + 4);
            HttpResponse<String> answer = node.send(node.request("/v1/check")
                    .header("Content-Type", "application/json")
                    .POST(HttpRequest.BodyPublishers.ofString(body)));
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.body()).contains("\"matched\":[\"users\"]", "\"remaining\":1");
        }
    }
}
