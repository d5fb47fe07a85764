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
)

// recoverable is an error that the process can live with: another attempt may
// work.
type recoverable struct{ error }

func (recoverable) Is(target error) bool { return target == kubeletplugin.ErrRecoverable }
func (e recoverable) Unwrap() error      { return e.error }

// byIndex sorts slices by their names, which begin with the index.
func byIndex(stored []resourceapi.ResourceSlice) {
	slices.SortFunc(stored, func(a, b resourceapi.ResourceSlice) int { return cmp.Compare(a.Name, b.Name) })
}

// replace puts slices as they are in the place of those that are there. Their
// generation is added to the highest there is.
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

// create creates slices, all or none. They have names and owners as the
// library's controller gives them, which therefore can go on with them.
func (p *pool) create(ctx context.Context, objects []*resourceapi.ResourceSlice, generation int64) error {
	node, err := p.client.CoreV1().Nodes().Get(ctx, p.node, metav1.GetOptions{})
	if err != nil {
		return fmt.Errorf("find out which node owns ResourceSlices: %w", err)
	}
	owner := metav1.OwnerReference{APIVersion: "v1", Kind: "Node", Name: node.Name, UID: node.UID, Controller: ptr.To(true)}
	var created []resourceapi.ResourceSlice
	for i, object := range objects {
		wanted := object.DeepCopy()
		wanted.GenerateName, wanted.Name = object.Name+"-", ""
		wanted.OwnerReferences = []metav1.OwnerReference{owner}
		wanted.Spec.Pool.Generation += generation
		if _, err := p.annotations.annotate(wanted); err != nil {
			return err
		}
		stored, err := p.slices().Create(ctx, wanted, metav1.CreateOptions{})
		if err == nil {
			created = append(created, *stored)
			err = p.dropped(ctx, i, wanted, stored)
		}
		if err != nil {
			return errors.Join(fmt.Errorf("create ResourceSlice: %w", err), p.delete(context.WithoutCancel(ctx), created))
		}
	}
	return nil
}

// dropped returns an error if the API server does not have all fields of a
// slice, and reports it as the library's controller does.
func (p *pool) dropped(ctx context.Context, index int, wanted, stored *resourceapi.ResourceSlice) error {
	if apiequality.Semantic.DeepEqual(wanted.Spec, stored.Spec) {
		return nil
	}
	err := &resourceslice.DroppedFieldsError{PoolName: p.node, SliceIndex: index, DesiredSlice: wanted, ActualSlice: stored}
	p.handleError(ctx, recoverable{err}, "create ResourceSlice")
	return err
}
