// Package install brings the fake driver into a cluster and removes it again.
package install

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"
)

// Names that the manifest uses.
const (
	// DefaultDriverName is the name of the driver in the manifest.
	DefaultDriverName = "mig.draconform.dev"
	// DefaultImage is the image in the manifest.
	DefaultImage = "draconform.dev/fakedriver:dev"
	// RunLabel is on every object that was created by a run, with its id.
	RunLabel = "draconform.dev/run"
	// DriverLabel is on every object that belongs to a driver, with its name.
	DriverLabel = "draconform.dev/driver"
)

// Options say what is installed. Objects outside of namespaces have the name of
// the driver, so that drivers with different names can live side by side.
type Options struct {
	// RunID is the value of RunLabel, required.
	RunID string
	// Namespace is where the driver's pods run, required. It must exist and
	// allow hostPath volumes.
	Namespace string
	// DriverName is the name of the DRA driver and of its DeviceClass, a DNS
	// subdomain of at most 63 characters that begins with a letter. The
	// default is DefaultDriverName.
	DriverName string
	// Image must be present on the nodes, with the command fakedriver as
	// entry point. The default is DefaultImage.
	Image string
}

// complete returns the options with their defaults.
func (o Options) complete() (Options, error) {
	if o.DriverName == "" {
		o.DriverName = DefaultDriverName
	}
	if o.Image == "" {
		o.Image = DefaultImage
	}
	if o.Namespace == "" {
		return o, errors.New("install fake driver: the namespace is missing")
	}
	if o.RunID == "" || len(validation.IsValidLabelValue(o.RunID)) > 0 {
		return o, fmt.Errorf("install fake driver: %q is no run id, it must be a label value", o.RunID)
	}
	if len(validation.IsDNS1123Subdomain(o.DriverName)) > 0 || len(o.DriverName) > maxDriverName {
		return o, fmt.Errorf("install fake driver: %q is no name for a driver", o.DriverName)
	}
	return o, nil
}

// maxDriverName is the API's limit.
const maxDriverName = 63

// labels are on every object of the installation.
func (o Options) labels() labels.Set {
	return labels.Set{RunLabel: o.RunID, DriverLabel: o.DriverName}
}
