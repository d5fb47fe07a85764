package plugin

import (
	"fmt"
	"path/filepath"

	"k8s.io/apimachinery/pkg/util/validation"
)

const (
	// maxName is the API's limit for the names of drivers.
	maxName = 63
	// maxSocket is how long the path of a Unix domain socket may be.
	maxSocket = 107
)

// checkName returns what keeps a driver from having a name.
func checkName(name, dir, registry string) error {
	if len(validation.IsDNS1123Subdomain(name)) > 0 || len(name) > maxName || name[0] < 'a' {
		return fmt.Errorf("%q is no name for a driver", name)
	}
	for _, socket := range []string{filepath.Join(dir, "dra.sock"), filepath.Join(registry, name+"-reg.sock")} {
		if len(socket) > maxSocket {
			return fmt.Errorf("the name %q is too long: the path of its socket %s has %d characters, at most %d are possible", name, socket, len(socket), maxSocket)
		}
	}
	return nil
}
