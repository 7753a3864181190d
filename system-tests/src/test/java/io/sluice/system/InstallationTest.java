package io.sluice.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.docs.Snippet;
import io.sluice.testkit.docs.SourceTree;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The installation of the README, on a machine that has nothing of Sluice. It downloads everything that Maven needs. */
@Timeout(3600)
class InstallationTest {

    private static final Path ROOT = Path.of(System.getProperty("sluice.root"));

    @TempDir
    Path folder;

    @Test
    @Tag("long")
    void anApplicationHasTheStartersAfterTheLineOfTheReadme() throws Exception {
        Path copy = folder.resolve("sluice");
        for (Path file : SourceTree.files(ROOT, "")) {
            Path to = copy.resolve(ROOT.relativize(file));
            Files.createDirectories(to.getParent());
            Files.copy(file, to);
        }
        List<String> lines = Snippet.of(ROOT.resolve("README.md")).stream()
                .flatMap(snippet -> snippet.commands().stream())
                .filter(command -> command.startsWith("mvn "))
                .toList();
        assertThat(lines).hasSize(1);
        maven(copy, lines.get(0));
        for (String starter : List.of("sluice-spring-boot-starter", "sluice-spring-boot-3-starter")) {
            Path application = folder.resolve(starter);
            Path source = Files.createDirectories(application.resolve("src/main/java"));
            Files.writeString(source.resolve("Shop.java"), """
                    class Shop {
                        io.sluice.core.Limiter limiter;

                        @io.sluice.spring.RateLimited("orders")
                        void order() {}
                    }
                    """);
            Files.writeString(application.resolve("pom.xml"), """
                    <project>
                      <modelVersion>4.0.0</modelVersion>
                      <groupId>example</groupId>
                      <artifactId>shop</artifactId>
                      <version>1</version>
                      <properties>
                        <maven.compiler.source>17</maven.compiler.source>
                        <maven.compiler.target>17</maven.compiler.target>
                      </properties>
                      <dependencies>
                        <dependency>
                          <groupId>io.sluice</groupId>
                          <artifactId>%s</artifactId>
                          <version>0.1.0-SNAPSHOT</version>
                        </dependency>
                      </dependencies>
                    </project>
                    """.formatted(starter));
            maven(application, "mvn -B compile");
        }
    }

    private void maven(Path directory, String line) throws Exception {
        Process process = new ProcessBuilder(
                        "bash", "-eu", "-c", line + " -ntp -Dmaven.repo.local=" + folder.resolve("repository"))
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .start();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(line + "\n" + printed).isZero();
    }
}
