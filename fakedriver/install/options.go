// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package install installs a fake driver in a cluster and uninstalls it.
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

// Names and labels of the installation.
const (
	// DefaultDriverName is the name of the driver in the manifest.
	DefaultDriverName = "mig.draconform.dev"
	// DefaultMultiHostDriverName is the name of the driver in the manifest for
	// devices that span hosts.
	DefaultMultiHostDriverName = "tpu.draconform.dev"
	// DefaultClassicDriverName is the name of the driver in the manifest for
	// classic DRA.
	DefaultClassicDriverName = "classic.draconform.dev"
	// DefaultImage is the image in the manifests.
	DefaultImage = "draconform.dev/fakedriver:dev"
	// DefaultClassicImage is the image in the manifest for classic DRA.
	DefaultClassicImage = "draconform.dev/classic:dev"
	// RunLabel is on every object that was created by a run. Its value is the
	// id of the run.
	RunLabel = "draconform.dev/run"
	// DriverLabel is on every object that belongs to a driver. Its value is the
	// name of the driver.
	DriverLabel = "draconform.dev/driver"
)

// Options define an installation. The names of all objects are the driver's
// name or begin with it, so that drivers with different names can be installed
// in parallel.
type Options struct {
	// RunID is the value of RunLabel, required.
	RunID string
	// Namespace is the namespace of the driver's pods, required. It must exist
	// and allow hostPath volumes.
	Namespace string
	// DriverName is the name of the DRA driver and of its DeviceClass. It must
	// be a DNS subdomain of at most 63 characters that begins with a letter.
	// The default is DefaultDriverName, or DefaultMultiHostDriverName with a
	// topology.
	//
	// Additional drivers that are started through the control endpoint must
	// have names that end in a dot and this name. The drivers of nodes are not
	// allowed to write ResourceSlices of other drivers. With a topology, they
	// are not allowed to write any.
	DriverName string
	// Image must be present on the nodes, with the command fakedriver as entry
	// point. The default is DefaultImage.
	Image string
	// Devices are the devices of each node, or of all nodes together with a
	// topology. The default is one GPU of the plugin's default model. A name in
	// place of a description must be known to the driver. Devices that were
	// published earlier through the control endpoint take precedence.
	Devices control.Devices
	// Classic installs the driver of classic DRA (KEP-3063), which needs
	// Kubernetes 1.30 or 1.31. It is the inventory of its controller as JSON. Devices must
	// be empty. The driver has no DeviceClass.
	Classic string
	// Older makes the pods of nodes behave like the previous version of the
	// driver, which stores prepared claims in an older checkpoint format.
	Older bool
	// Overlap allows several pods of the driver to run on a node at the same
	// time. It is the time for which a replaced pod continues to run, in whole
	// seconds. Zero disables this.
	Overlap time.Duration
	// Surge makes a rollout start new pods before the old ones end. It requires
	// Overlap.
	Surge bool
}

// complete validates the options and returns them with defaults.
func (o Options) complete() (Options, error) {
	if err := o.checkDevices(); err != nil {
		return o, fmt.Errorf("install fake driver: %w", err)
	}
	o.DriverName = cmp.Or(o.DriverName, o.manifest().driver)
	o.Image = cmp.Or(o.Image, o.manifest().image)
	if o.Namespace == "" {
		return o, errors.New("install fake driver: the namespace is missing")
	}
	if len(validation.IsDNS1123Label(o.Namespace)) > 0 {
		return o, fmt.Errorf("install fake driver: %q is not a valid namespace", o.Namespace)
	}
	if o.RunID == "" || len(validation.IsValidLabelValue(o.RunID)) > 0 {
		return o, fmt.Errorf("install fake driver: %q is not a valid run id, it must be a label value", o.RunID)
	}
	if o.Overlap < 0 || o.Overlap > maxOverlap || o.Overlap%time.Second != 0 {
		return o, fmt.Errorf("install fake driver: pods can overlap for whole seconds up to %s, not %s", maxOverlap, o.Overlap)
	}
	if o.Surge && o.Overlap == 0 {
		return o, errors.New("install fake driver: pods that cannot overlap cannot start before the old ones end")
	}
	if len(validation.IsDNS1123Subdomain(o.DriverName)) > 0 || len(o.DriverName) > maxDriverName || o.DriverName[0] < 'a' {
		return o, fmt.Errorf("install fake driver: %q is not a valid driver name", o.DriverName)
	}
	return o, nil
}

// maxOverlap leaves pods enough time to terminate within their grace period.
const maxOverlap = 25 * time.Second

// maxDriverName is the API's limit.
const maxDriverName = 63

// labels returns the labels of every object of the installation.
func (o Options) labels() labels.Set {
	return labels.Set{RunLabel: o.RunID, DriverLabel: o.DriverName}
}
