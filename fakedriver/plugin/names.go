// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"fmt"
	"path/filepath"

	"k8s.io/apimachinery/pkg/util/validation"
)

const (
	// maxName is the API's maximum length of a driver name.
	maxName = 63
	// maxSocket is the maximum length of the path of a Unix domain socket.
	maxSocket = 107
)

// checkName returns an error if name is not usable as the name of a driver.
func checkName(name, dir, registry string) error {
	if len(validation.IsDNS1123Subdomain(name)) > 0 || len(name) > maxName || name[0] < 'a' {
		return fmt.Errorf("%q is not a valid driver name", name)
	}
	for _, socket := range []string{filepath.Join(dir, "dra.sock"), filepath.Join(registry, name+"-reg.sock")} {
		if len(socket) > maxSocket {
			return fmt.Errorf("the name %q is too long: the path of its socket %s has %d characters, at most %d are possible", name, socket, len(socket), maxSocket)
		}
	}
	return nil
}
