package io.sluice.spring.kotlin

import java.nio.file.Files
import java.nio.file.Path
import kotlin.io.path.readText
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test

/** Every Kotlin example of the documents is compiled: it stands in this module, too, without its package. */
class DocumentsTest {

    @Test
    fun `examples are compiled`() {
        val compiled = Path.of("src/test/kotlin/io/sluice/spring/kotlin/Documented.kt").readText().substringAfter("\n\n")
        val examples =
            Files.walk(Path.of("../docs")).use { files ->
                files
                    .filter { it.toString().endsWith(".md") }
                    .toList()
                    .flatMap { Regex("```kotlin\n(.*?)```", RegexOption.DOT_MATCHES_ALL).findAll(it.readText()) }
                    .map { it.groupValues[1] }
            }
        assertThat(examples).containsExactly(compiled)
    }
}
