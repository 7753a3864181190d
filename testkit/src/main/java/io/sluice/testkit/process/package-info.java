/** Server processes for tests, with their free ports, certificates and folders. */
@NullMarked
package io.sluice.testkit.process;

import org.jspecify.annotations.NullMarked;
