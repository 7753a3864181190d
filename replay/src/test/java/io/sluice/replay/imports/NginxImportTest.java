package io.sluice.replay.imports;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.replay.imports.draft.ForeignFile;
import io.sluice.replay.imports.draft.ImportRefusedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NginxImportTest {

    private static ImportResult of(String text) {
        return ImportResult.of(ImportKind.NGINX, "nginx.conf", text);
    }

    @Test
    void aBurstWithoutDelayIsABucketWithOnePermitMore() {
        ImportResult result = of("""
                http {
                  limit_req_zone $binary_remote_addr zone=login:10m rate=5r/s;
                  server {
                    location = /login { limit_req zone=login burst=20 nodelay; }
                  }
                }
                """);
        assertThat(result.bare()).isEqualTo("""
                rules:
                  - id: login
                    resource: /login
                    limits:
                      - { by: ip, rate: 5/s, burst: 21 }
                """);
        assertThat(result.warnings()).isEmpty();
    }

    @Test
    void aDelayedBurstWaits() {
        ImportResult result = of("""
                limit_req_zone $http_x_api_key zone=keys:10m rate=10r/s;
                server { location /api/ { limit_req zone=keys burst=12 delay=8; } }
                """);
        assertThat(result.bare())
                .contains("match: { path: \"/api/*\" }")
                .contains("{ by: header.x-api-key, absent: skip, rate: 10/s, burst: 9, max_wait: 400ms }");
        assertThat(of("""
                        limit_req_zone $binary_remote_addr zone=a:1m rate=3r/s;
                        server { limit_req zone=a burst=5; }
                        """).bare()).contains("burst: 1, max_wait: 1666667us");
    }

    @Test
    void directivesWithoutArgumentsAreNoError() {
        assertThat(of("""
                        geo { default 1; }
                        map $a $k { default $binary_remote_addr; }
                        limit_req_zone $k zone=a:1m rate=3r/s;
                        server {
                          location /a { limit_req zone=a; }
                          location { return 200; }
                        }
                        """).bare()).contains("rate: 3/s");
    }

    @Test
    void aRateThatNginxRoundsIsRoundedAsWell() {
        ImportResult result = of("""
                limit_req_zone $binary_remote_addr zone=a:1m rate=10r/m;
                limit_req zone=a;
                """);
        assertThat(result.bare()).contains("rate: 166/1000s, burst: 1");
        assertThat(result.imported().document()).contains("nginx rounds it down to 0.166 requests per second");
    }

    @Test
    void callersWithAnEmptyKeyHaveNoLimit() {
        ImportResult result = of("""
                http {
                  geo $limited { default 1; 10.0.0.0/8 0; 192.0.2.7 0; }
                  map $limited $limit_key { 0 ""; 1 $binary_remote_addr; }
                  limit_req_zone $limit_key zone=all:10m rate=10r/s;
                  server { limit_req zone=all burst=5 nodelay; }
                }
                """);
        assertThat(result.bare())
                .contains("- { by: ip, rate: 10/s, burst: 6 }")
                .contains("- { when: { ip: [10.0.0.0/8, 192.0.2.7] }, burst: 1000000000, rate: 1000000000/s }");
        assertThat(result.warnings()).isEmpty();
    }

    @Test
    void limitsOfOneZoneShareARuleIfTheirNumbersAreTheSame() {
        ImportResult result = of("""
                limit_req_zone $binary_remote_addr zone=a:1m rate=1r/s;
                server {
                  location /x { limit_req zone=a burst=5 nodelay; }
                  location ~ ^/(y|z)/.*\\.php$ { limit_req zone=a burst=5 nodelay; }
                }
                """);
        assertThat(result.rules()).hasSize(1);
        assertThat(result.bare()).contains("match: { path: [\"/x*\", \"/y/*.php\", \"/z/*.php\"] }");
        ImportResult differing = of("""
                limit_req_zone $binary_remote_addr zone=a:1m rate=1r/s;
                server {
                  location /x { limit_req zone=a burst=5 nodelay; }
                  location /y { limit_req zone=a burst=9 nodelay; }
                }
                """);
        assertThat(differing.rules()).hasSize(2);
        assertThat(differing.warnings())
                .contains(
                        "nginx.conf:3:17: warning: zone a: 2 rules come from this zone, because its uses differ; each has its"
                                + " own count, so one caller may get up to 2 times as much in all");
    }

    @Test
    void saysWhereALimitAppliesThatNginxWouldNotApply() {
        ImportResult result = of("""
                limit_req_zone $binary_remote_addr zone=a:1m rate=1r/s;
                limit_req_zone $binary_remote_addr zone=b:1m rate=9r/s;
                server {
                  server_name shop.example;
                  limit_req zone=a;
                  location /static/ { limit_req zone=b; }
                }
                """);
        assertThat(result.warnings())
                .containsExactly(
                        "nginx.conf:5:3: warning: nginx does not apply this limit to location /static/, which it"
                                + " handles elsewhere; here the requests to them that match this rule count in it as"
                                + " well");
    }

    @Test
    void namesTheRegularExpressionsThatTakeRequestsFromAPrefix() {
        ImportResult result = of("""
            limit_req_zone $binary_remote_addr zone=a:1m rate=1r/s;
            server {
              location /app/ {
                location /app/inner/ { limit_req zone=a burst=3; }
                location ~ nested { }
              }
              location /app/files/ { limit_req zone=a burst=1; }
              location ^~ /app/last/ { limit_req zone=a burst=2; }
              location = /app/one { limit_req zone=a burst=4; }
              location ~ \\.php$ { }
              location ~* ^/APP/in { }
              location ~ ^/other/ { }
              location @named { }
            }
            """);
        assertThat(result.warnings().stream().filter(text -> text.contains("does not apply")))
                .containsExactly(
                        "nginx.conf:4:28: warning: nginx does not apply this limit to location ~ nested, location ~"
                                + " \\.php$, location ~* ^/APP/in, which it handles elsewhere; here the requests to them"
                                + " that match this rule count in it as well",
                        "nginx.conf:7:26: warning: nginx does not apply this limit to location ~ \\.php$, which it"
                                + " handles elsewhere; here the requests to them that match this rule count in it as"
                                + " well");
    }

    @Test
    void namesTheLocationsThatPrecedeARegularExpression() {
        ImportResult result = of("""
            limit_req_zone $binary_remote_addr zone=a:1m rate=1r/s;
            server {
              location /a/long/prefix { }
              location = /a/x.php { }
              location ^~ /a/static { }
              location ^~ /b/static { }
              location ~ ^/a/y { }
              location ~ ^/a/.*\\.php$ { limit_req zone=a burst=1; }
              location ~ ^/a/late { }
            }
            """);
        assertThat(result.warnings())
                .anyMatch(text -> text.contains(
                        "to location = /a/x.php, location ^~ /a/static, location ~ ^/a/y, which it handles elsewhere"));
    }

    @Test
    void aLongListOfReplacedPlacesIsCounted() {
        StringBuilder locations = new StringBuilder();
        for (int i = 10; i < 33; i++) {
            locations
                    .append("location /some/rather/long/path/number/")
                    .append(i)
                    .append(" { limit_req zone=b; } ");
        }
        ImportResult result = of("""
            limit_req_zone $binary_remote_addr zone=a:1m rate=1r/s;
            limit_req_zone $binary_remote_addr zone=b:1m rate=9r/s;
            server {
              limit_req zone=a;
            """ + locations + "}");
        assertThat(result.warnings())
                .singleElement()
                .asString()
                .contains("number/10, ", "number/19 and 13 more, which");
    }

    @Test
    void hostsOfSeveralServersAreConditions() {
        ImportResult result = of("""
                limit_conn_zone $binary_remote_addr zone=c:1m;
                server { server_name a.example .b.example; limit_conn c 5; limit_conn_dry_run on; }
                server { server_name c.example; }
                """);
        assertThat(result.bare()).isEqualTo("""
                rules:
                  - id: c
                    shadow: true
                    match: { header.host: [a.example, b.example, "*.b.example"] }
                    limits:
                      - { by: ip, algorithm: concurrency, limit: 5, ttl: 1h }
                    mode: local
                """);
    }

    @Test
    void whatCannotBeSaidIsInShadow() {
        ImportResult result = of("""
                limit_req_zone $cookie_session zone=a:1m rate=1r/s;
                server { location ~ ^/[0-9]+ { limit_req zone=a; } }
                """);
        assertThat(result.rules().get(0).shadow()).isTrue();
        assertThat(result.warnings()).hasSize(2).allMatch(text -> text.contains("in shadow"));
    }

    @Test
    void includesFilesOfItsOwnFolderOnly(@TempDir Path folder) throws IOException, ImportRefusedException {
        Path conf = Files.createDirectory(folder.resolve("conf"));
        Files.writeString(folder.resolve("secret.conf"), "limit_req_zone $binary_remote_addr zone=s:1m rate=1r/s;");
        Files.createDirectory(conf.resolve("sites"));
        Files.writeString(conf.resolve("sites/a.conf"), "server { location /a { limit_req zone=a burst=1 nodelay; } }");
        Path main = Files.writeString(conf.resolve("nginx.conf"), """
                http {
                  limit_req_zone $binary_remote_addr zone=a:1m rate=1r/s;
                  include sites/*.conf;
                  include ../secret.conf;
                  include /etc/passwd;
                }
                """);
        ImportResult result = ImportResult.of(ImportKind.NGINX.importer().read(ForeignFile.read(main)));
        assertThat(result.rules()).hasSize(1);
        assertThat(result.warnings())
                .containsExactly(
                        main
                                + ":4:3: warning: include: ../secret.conf is not read, because only files in the folder of the"
                                + " configuration are",
                        main
                                + ":5:3: warning: include: /etc/passwd is not read, because only files in the folder of the"
                                + " configuration are");
    }

    @Test
    void aFileThatIncludesItselfIsRefused(@TempDir Path folder) throws IOException, ImportRefusedException {
        Path main = Files.writeString(folder.resolve("nginx.conf"), "include nginx.conf;");
        ForeignFile file = ForeignFile.read(main);
        assertThatThrownBy(() -> ImportKind.NGINX.importer().read(file))
                .isInstanceOf(ImportRefusedException.class)
                .hasMessageContaining(":1:1: include: nested deeper than 30");
    }

    @Test
    void errorsHavePlaces() {
        assertThat(ImportResult.errors(ImportKind.NGINX, "nginx.conf", "http {\n  server {\n"))
                .containsExactly("nginx.conf:2:3: server: block without an end (expected: })");
        assertThat(ImportResult.errors(
                        ImportKind.NGINX,
                        "nginx.conf",
                        "limit_req_zone $binary_remote_addr zone=a:1m rate=fast;\nlimit_req zone=a;"))
                .containsExactly("nginx.conf:1:1: rate: fast (expected: a rate such as 10r/s or 30r/m)");
        assertThat(ImportResult.errors(ImportKind.NGINX, "nginx.conf", "}"))
                .containsExactly("nginx.conf:1:1: }: closes no block (expected: a directive or the end of the file)");
    }
}
