package publish

import (
	"k8s.io/dynamic-resource-allocation/resourceslice"

	"github.com/draconform/draconform/fakedriver/describe"
)

// Offer says what of an inventory is published, and how.
type Offer struct {
	// Form is how it is laid out.
	Form Form
	// WithoutShared leaves out all devices that allow multiple allocations, for
	// clusters without the feature gate DRAConsumableCapacity.
	WithoutShared bool
}

// String describes the offer in a few words.
func (o Offer) String() string {
	if o.WithoutShared {
		return o.Form.String() + ", without devices that allow multiple allocations"
	}
	return o.Form.String()
}

// Slices lays out what is offered of an inventory, see [Slices].
func (o Offer) Slices(inventory *describe.Inventory) []resourceslice.Slice {
	if o.WithoutShared {
		inventory = inventory.WithoutShared()
	}
	return Slices(inventory, o.Form)
}
