package io.sluice.node.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.node.config.NodeConfig.RulesFrom;
import io.sluice.node.gateway.config.TlsSettings;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DoorSettingsTest {

    private static final Path FILE = Path.of("f");
    private static final NodeConfig NODE = NodeConfig.inProcess(new RulesFrom.Nowhere(), 0);

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "127.3.2.1", "::1", "::ffff:127.0.0.1", "localhost"})
    void loopbackNeedsNoAuthentication(String host) {
        NodeConfig config = NODE.withApi(open(host)).withGrpc(new GrpcSettings(open(host), false));

        assertThat(config.api().isExposed()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0.0.0.0",
                "::",
                "10.0.0.1",
                "2001:db8::1",
                "::ffff:10.0.0.1",
                "shop.example",
                "localhost.evil.example"
            })
    void anythingElseIsRefusedWithoutAuthentication(String host) {
        assertThatThrownBy(() -> NODE.withApi(open(host)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "--api-bind: " + host + " is reachable from other machines, and callers need neither a token"
                                + " nor a certificate (expected: --api-token-file FILE, or api.tls.client_ca in --config, or"
                                + " 127.0.0.1; --insecure-api serves everybody)");
        assertThatThrownBy(() -> NODE.withGrpc(new GrpcSettings(open(host), false)))
                .hasMessageStartingWith("--grpc-bind: " + host + " is reachable from other machines")
                .hasMessageContaining("grpc.tls.client_ca");
    }

    @Test
    void tokensOrClientCertificatesOpenItToOtherMachines() {
        DoorSettings exposed = open("0.0.0.0");
        TlsSettings oneSided = new TlsSettings(FILE, FILE, Optional.empty());
        TlsSettings mutual = new TlsSettings(FILE, FILE, Optional.of(FILE));

        assertThat(exposed.withAccess(new DoorAccess(Optional.of(FILE), Optional.empty()))
                        .isExposed())
                .isFalse();
        assertThat(exposed.withAccess(new DoorAccess(Optional.empty(), Optional.of(mutual)))
                        .isExposed())
                .isFalse();
        assertThat(exposed.withAccess(new DoorAccess(Optional.empty(), Optional.of(oneSided)))
                        .isExposed())
                .isTrue();
        assertThat(NODE.withInsecureApi().withApi(exposed).api().isExposed()).isTrue();
    }

    @Test
    void anEmptyAddressIsRefused() {
        assertThatThrownBy(() -> open(" ")).hasMessage("bind: empty (expected: an address such as 127.0.0.1)");
    }

    private static DoorSettings open(String host) {
        return new DoorSettings(host, 0, DoorAccess.OPEN);
    }
}
