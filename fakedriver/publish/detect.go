// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"context"
	"errors"
	"fmt"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	resourceclient "k8s.io/client-go/kubernetes/typed/resource/v1"
	"k8s.io/dynamic-resource-allocation/resourceslice"
	"k8s.io/klog/v2"

	"github.com/draconform/draconform/fakedriver/describe"
	"github.com/draconform/draconform/internal/fault"
)

// Detect returns the most complete offer that the API server would store
// unchanged. It probes the API server with dry-run requests before anything is
// published. An API server drops the fields of disabled features. If a driver
// detected this only after it published, the scheduler would meanwhile treat
// overlapping partitions as independent devices, and shared devices as devices
// for one claim only.
//
// The version of the API server is not sufficient for this: it does not reflect
// feature gates, and an API server with an older emulation version keeps the
// newer validation.
func Detect(ctx context.Context, client resourceclient.ResourceSliceInterface, driver, node string, inventory *describe.Inventory) (Offer, error) {
	p := prober{client, driver, node}
	plain := inventory.WithoutShared()
	form, err := p.form(ctx, plain)
	if err != nil {
		return Offer{}, err
	}
	if form == NoCounters && len(inventory.CounterSets) > 0 && fault.NeedsCounters {
		return Offer{}, errors.New("the API server does not store counters")
	}
	offer := Offer{Form: form}
	if apiequality.Semantic.DeepEqual(plain.Devices, inventory.Devices) {
		return offer, nil
	}
	reason, err := p.probe(ctx, Slices(inventory, form))
	switch {
	case err != nil:
		return Offer{}, err
	case errors.Is(reason, errDropped):
		offer.WithoutShared = true
	case reason != nil:
		return Offer{}, fmt.Errorf("the API server rejects devices that allow multiple allocations: %w", reason)
	}
	return offer, nil
}

// prober probes what an API server would store.
type prober struct {
	client       resourceclient.ResourceSliceInterface
	driver, node string
}

// form returns the first form in which the API server would store an inventory
// unchanged.
func (p prober) form(ctx context.Context, inventory *describe.Inventory) (Form, error) {
	var rejected error
	for _, form := range []Form{SeparateCounters, CountersWithDevices, NoCounters} {
		reason, err := p.probe(ctx, Slices(inventory, form))
		if err != nil {
			return 0, err
		}
		if reason == nil {
			return form, nil
		}
		klog.FromContext(ctx).V(3).Info("The API server does not accept the devices in this form", "form", form.String(), "reason", reason)
		rejected = reason
	}
	return 0, fmt.Errorf("the API server does not even accept %s: %w", NoCounters, rejected)
}

// errDropped indicates that the API server knows a field and that its feature
// is disabled.
var errDropped = errors.New("fields were dropped")

// probe creates the slices with a dry run. reason is set if the API server
// would not store one of them unchanged. err is set if the request failed for
// another reason.
func (p prober) probe(ctx context.Context, slices []resourceslice.Slice) (reason, err error) {
	for _, object := range NodeObjects(p.driver, p.node, slices) {
		trial := object.DeepCopy()
		// The name must not be that of an existing slice.
		trial.GenerateName, trial.Name = trial.Name+"-probe-", ""
		stored, err := p.client.Create(ctx, trial, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		switch {
		case apierrors.IsInvalid(err):
			return err, nil
		case err != nil:
			return nil, fmt.Errorf("probe which ResourceSlices the API server accepts: %w", err)
		case !apiequality.Semantic.DeepEqual(stored.Spec, object.Spec):
			return fmt.Errorf("ResourceSlice %s: %w", object.Name, errDropped), nil
		}
	}
	return nil, nil
}
