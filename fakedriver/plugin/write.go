// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"
	"k8s.io/dynamic-resource-allocation/resourceslice"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/fakedriver/publish"
)

// recoverable marks an error as recoverable: another attempt may succeed, so
// the process does not terminate.
type recoverable struct{ error }

func (recoverable) Is(target error) bool { return target == kubeletplugin.ErrRecoverable }
func (e recoverable) Unwrap() error      { return e.error }

// byIndex sorts slices by their names, which start with the index.
func byIndex(stored []resourceapi.ResourceSlice) {
	slices.SortFunc(stored, func(a, b resourceapi.ResourceSlice) int { return cmp.Compare(a.Name, b.Name) })
}

// replace creates the given slices and deletes all existing ones. The
// generation of the new slices is incremented by the highest existing
// generation.
func (p *pool) replace(ctx context.Context, objects []*resourceapi.ResourceSlice) error {
	stored, err := p.list(ctx)
	if err != nil {
		return err
	}
	var highest int64
	for _, slice := range stored {
		highest = max(highest, slice.Spec.Pool.Generation)
	}
	if err := p.create(ctx, objects, highest); err != nil {
		return err
	}
	return p.delete(ctx, stored)
}

// create creates all slices, or none if one of them fails. The slices have the
// same names and owner references as those of the library's controller, so that
// the controller can manage them.
func (p *pool) create(ctx context.Context, objects []*resourceapi.ResourceSlice, generation int64) error {
	node, err := p.client.CoreV1().Nodes().Get(ctx, p.node, metav1.GetOptions{})
	if err != nil {
		return fmt.Errorf("get the node that owns the ResourceSlices: %w", err)
	}
	owner := metav1.OwnerReference{APIVersion: "v1", Kind: "Node", Name: node.Name, UID: node.UID, Controller: ptr.To(true)}
	var created []resourceapi.ResourceSlice
	for i, object := range objects {
		wanted := object.DeepCopy()
		wanted.GenerateName, wanted.Name = object.Name+"-", ""
		wanted.OwnerReferences = []metav1.OwnerReference{owner}
		wanted.Spec.Pool.Generation += generation
		stored, err := p.createAnnotated(ctx, wanted)
		if err == nil {
			created = append(created, *stored)
			err = p.dropped(ctx, i, wanted, stored)
		}
		if err != nil {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTimeout)
			defer cancel()
			return errors.Join(fmt.Errorf("create ResourceSlice: %w", err), p.delete(ctx, created))
		}
	}
	return nil
}

// createAnnotated creates a slice with the declarations of its shared devices.
func (p *pool) createAnnotated(ctx context.Context, slice *resourceapi.ResourceSlice) (*resourceapi.ResourceSlice, error) {
	if _, err := p.annotations.annotate(slice); err != nil {
		return nil, err
	}
	return p.slices().Create(ctx, slice, metav1.CreateOptions{})
}

// dropped returns an error if the API server has not stored all fields of a
// slice. It reports the error as the library's controller does.
func (p *pool) dropped(ctx context.Context, index int, wanted, stored *resourceapi.ResourceSlice) error {
	if apiequality.Semantic.DeepEqual(wanted.Spec, stored.Spec) {
		return nil
	}
	err := &resourceslice.DroppedFieldsError{PoolName: publish.PoolName(p.node), SliceIndex: index, DesiredSlice: wanted, ActualSlice: stored}
	p.handleError(ctx, recoverable{err}, "create ResourceSlice")
	return err
}
