/** Tests of documentation: reads the code blocks of Markdown pages, and compiles the Java blocks. */
@NullMarked
package io.sluice.testkit.docs;

import org.jspecify.annotations.NullMarked;
