// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"k8s.io/dynamic-resource-allocation/resourceslice"

	"github.com/draconform/draconform/fakedriver/describe"
)

// Offer describes which devices of an inventory are published, and in which
// form.
type Offer struct {
	// Form is the layout of the slices.
	Form Form
	// WithoutShared omits all devices with allowMultipleAllocations. It is for
	// clusters without the feature gate DRAConsumableCapacity.
	WithoutShared bool
}

// String returns a short description of the offer.
func (o Offer) String() string {
	if o.WithoutShared {
		return o.Form.String() + ", without devices that allow multiple allocations"
	}
	return o.Form.String()
}

// Slices returns the slices of the offered devices of an inventory, see
// [Slices].
func (o Offer) Slices(inventory *describe.Inventory) []resourceslice.Slice {
	if o.WithoutShared {
		inventory = inventory.WithoutShared()
	}
	return Slices(inventory, o.Form)
}
