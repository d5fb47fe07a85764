package plugin

import (
	"fmt"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/fakedriver/control"
	"github.com/draconform/draconform/fakedriver/describe"
)

// compile returns what a node has, with taints, if it can be published. Its
// errors say that a request makes no sense.
func compile(config Config, published control.Published) (*describe.Inventory, error) {
	if !isKnown(published) {
		return nil, fmt.Errorf("%w: the devices are missing", control.ErrInvalid)
	}
	if published.Defect != "" && !slices.Contains(control.Defects(), published.Defect) {
		return nil, fmt.Errorf("%w: defect %q is not known, there is: %v", control.ErrInvalid, published.Defect, control.Defects())
	}
	inventory, err := config.Inventory(config.NodeName, published.Devices)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", control.ErrInvalid, err)
	}
	for _, name := range slices.Sorted(maps.Keys(published.Taints)) {
		device := inventory.Device(name)
		if device == nil {
			return nil, fmt.Errorf("%w: there is no device %s to taint", control.ErrInvalid, name)
		}
		device.Taints = append(slices.Clone(device.Taints), published.Taints[name]...)
	}
	if err := inventory.Validate(); err != nil {
		return nil, fmt.Errorf("%w: check inventory: %w", control.ErrInvalid, err)
	}
	for _, name := range slices.Sorted(maps.Keys(published.Affinity)) {
		device := inventory.Device(name)
		if device == nil || !ptr.Deref(device.AllowMultipleAllocations, false) {
			return nil, fmt.Errorf("%w: there is no device %s that claims could share", control.ErrInvalid, name)
		}
		if err := published.Affinity[name].Validate(); err != nil {
			return nil, fmt.Errorf("%w: affinity of device %s: %w", control.ErrInvalid, name, err)
		}
	}
	return inventory, nil
}

// stamp adds when taints were added, as the API server would. It then has what
// is published, and a restart does not make a taint younger.
func stamp(published control.Published) control.Published {
	now := metav1.Now().Rfc3339Copy()
	taints := maps.Clone(published.Taints)
	for name := range taints {
		taints[name] = slices.Clone(taints[name])
		for i := range taints[name] {
			if taints[name][i].TimeAdded == nil {
				taints[name][i].TimeAdded = &now
			}
		}
	}
	published.Taints = taints
	return published
}
