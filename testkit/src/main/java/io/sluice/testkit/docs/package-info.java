/** Tests of documentation: reads the code blocks of Markdown pages, and compiles those in Java. */
@NullMarked
package io.sluice.testkit.docs;

import org.jspecify.annotations.NullMarked;
