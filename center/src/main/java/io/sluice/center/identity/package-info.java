/** Sign-in through identity servers: OpenID Connect and LDAP. */
@NullMarked
package io.sluice.center.identity;

import org.jspecify.annotations.NullMarked;
