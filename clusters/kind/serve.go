package kind

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/draconform/draconform/clusters/internal/staticpod"
)

// Servable are what Options.Serve may have: versions of the DRA API that every supported release has and none serves unless
// it is told to.
var Servable = staticpod.Servable

// CheckServed returns an error that names what is known if one of the versions cannot be served beside the default ones.
func CheckServed(versions []string) error {
	for _, v := range versions {
		if !slices.Contains(Servable, v) {
			return fmt.Errorf("API version %q cannot be served, only %s: the others are served by default or with the feature gates that need them",
				v, strings.Join(Servable, " and "))
		}
	}
	return nil
}

// runtimeConfig says which versions the API server serves beside the default ones, as kind's runtimeConfig has it.
func (o Options) runtimeConfig() map[string]string {
	config := maps.Clone(o.Gates.RuntimeConfig())
	for _, v := range o.Serve {
		config[v] = "true"
	}
	return config
}
