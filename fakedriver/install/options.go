// Package install brings a fake driver into a cluster and removes it again.
package install

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/draconform/draconform/fakedriver/control"
)

// Names that the manifests use.
const (
	// DefaultDriverName is the name of the driver in the manifest.
	DefaultDriverName = "mig.draconform.dev"
	// DefaultMultiHostDriverName is the name of the driver in the manifest for
	// devices that span hosts.
	DefaultMultiHostDriverName = "tpu.draconform.dev"
	// DefaultImage is the image in the manifests.
	DefaultImage = "draconform.dev/fakedriver:dev"
	// RunLabel is on every object that was created by a run, with its id.
	RunLabel = "draconform.dev/run"
	// DriverLabel is on every object that belongs to a driver, with its name.
	DriverLabel = "draconform.dev/driver"
)

// Options say what is installed. All objects have the name of the driver, or
// one that begins with it, so that drivers with different names can live side by
// side.
type Options struct {
	// RunID is the value of RunLabel, required.
	RunID string
	// Namespace is where the driver's pods run, required. It must exist and
	// allow hostPath volumes.
	Namespace string
	// DriverName is the name of the DRA driver and of its DeviceClass, a DNS
	// subdomain of at most 63 characters that begins with a letter. The
	// default is DefaultDriverName, and DefaultMultiHostDriverName with a
	// topology.
	//
	// More drivers that are started through the control endpoint must have
	// names that end in a dot and this one: the drivers of nodes may not write
	// ResourceSlices of others. With a topology, they may not write any.
	DriverName string
	// Image must be present on the nodes, with the command fakedriver as
	// entry point. The default is DefaultImage.
	Image string
	// Devices are what each node has, or, with a topology, what all of them
	// have together. The default is one GPU of the plugin's default model. A
	// name in place of a description must be one that the driver knows. What
	// was published through the control endpoint before takes precedence.
	Devices control.Devices
	// Older has the pods of nodes behave as the version before, which remembers
	// in an older form what it has prepared.
	Older bool
	// Beside lets these pods run beside others on their node, and is for how many
	// whole seconds they go on when others take their place. Zero means that they
	// bear no others.
	Beside time.Duration
	// Surge has new pods start before the old ones end, all of which must be
	// such that run beside others.
	Surge bool
}

// complete returns the options with their defaults.
func (o Options) complete() (Options, error) {
	if err := o.checkDevices(); err != nil {
		return o, fmt.Errorf("install fake driver: %w", err)
	}
	o.DriverName = cmp.Or(o.DriverName, o.manifest().driver)
	o.Image = cmp.Or(o.Image, DefaultImage)
	if o.Namespace == "" {
		return o, errors.New("install fake driver: the namespace is missing")
	}
	if len(validation.IsDNS1123Label(o.Namespace)) > 0 {
		return o, fmt.Errorf("install fake driver: %q is no name for a namespace", o.Namespace)
	}
	if o.RunID == "" || len(validation.IsValidLabelValue(o.RunID)) > 0 {
		return o, fmt.Errorf("install fake driver: %q is no run id, it must be a label value", o.RunID)
	}
	if o.Beside < 0 || o.Beside > maxBeside || o.Beside%time.Second != 0 {
		return o, fmt.Errorf("install fake driver: pods run beside others for whole seconds up to %s, not %s", maxBeside, o.Beside)
	}
	if o.Surge && o.Beside == 0 {
		return o, errors.New("install fake driver: pods that bear no others beside them cannot start before the old ones end")
	}
	if len(validation.IsDNS1123Subdomain(o.DriverName)) > 0 || len(o.DriverName) > maxDriverName || o.DriverName[0] < 'a' {
		return o, fmt.Errorf("install fake driver: %q is no name for a driver", o.DriverName)
	}
	return o, nil
}

// maxBeside leaves pods time to end by themselves within their grace period.
const maxBeside = 25 * time.Second

// maxDriverName is the API's limit.
const maxDriverName = 63

// labels are on every object of the installation.
func (o Options) labels() labels.Set {
	return labels.Set{RunLabel: o.RunID, DriverLabel: o.DriverName}
}
