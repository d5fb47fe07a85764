// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package simulated

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/fakedriver/affinity"
)

// CreateSlices publishes ResourceSlices of the simulated nodes' driver,
// unchanged except for defaults. The default generation of a pool is 1. The
// default resourceSliceCount is the number of given ResourceSlices of the pool.
func (s *Nodes) CreateSlices(ctx context.Context, specs ...resourceapi.ResourceSliceSpec) {
	ginkgo.GinkgoHelper()
	s.create(ctx, nil, specs)
}

func (s *Nodes) create(ctx context.Context, declared map[string]affinity.Declaration, specs []resourceapi.ResourceSliceSpec) {
	ginkgo.GinkgoHelper()
	counts := map[resourceapi.ResourcePool]int64{}
	for i := range specs {
		specs[i].Pool.Generation = max(specs[i].Pool.Generation, 1)
		counts[specs[i].Pool]++
	}
	for _, spec := range specs {
		if spec.Pool.ResourceSliceCount == 0 {
			spec.Pool.ResourceSliceCount = counts[spec.Pool]
		}
		ginkgo.By(fmt.Sprintf("publishing a slice of pool %s, generation %d", spec.Pool.Name, spec.Pool.Generation))
		spec.Driver = s.Driver
		// Schedulers process ResourceSlices in the order of their names.
		name := fmt.Sprintf("%s-%03d", strings.TrimSuffix(s.Driver, driverDomain), s.slices)
		s.slices++
		slice := &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: s.env.Labels}, Spec: spec}
		_, err := affinity.Annotate(slice, declared)
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		_, err = s.env.Client.ResourceV1().ResourceSlices().Create(ctx, slice, metav1.CreateOptions{})
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
	}
}

// DeleteSlices deletes the ResourceSlices of a pool. If generation is not zero,
// it deletes only those of that generation.
func (s *Nodes) DeleteSlices(ctx context.Context, pool string, generation int64) {
	ginkgo.GinkgoHelper()
	ginkgo.By("deleting slices of pool " + pool)
	gomega.Expect(s.delete(ctx, func(p resourceapi.ResourcePool) bool {
		return p.Name == pool && (generation == 0 || generation == p.Generation)
	})).To(gomega.Succeed())
}

func (s *Nodes) delete(ctx context.Context, which func(resourceapi.ResourcePool) bool) error {
	client := s.env.Client.ResourceV1().ResourceSlices()
	all, err := client.List(ctx, metav1.ListOptions{FieldSelector: resourceapi.ResourceSliceSelectorDriver + "=" + s.Driver})
	if err != nil {
		return fmt.Errorf("list slices of driver %s: %w", s.Driver, err)
	}
	var errs []error
	for _, slice := range all.Items {
		if !which(slice.Spec.Pool) {
			continue
		}
		if err := client.Delete(ctx, slice.Name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			errs = append(errs, fmt.Errorf("delete slice %s: %w", slice.Name, err))
		}
		s.env.Deleted("ResourceSlice", slice.Name)
	}
	return errors.Join(errs...)
}

// GetSlices returns the published ResourceSlices of a pool.
func (s *Nodes) GetSlices(ctx context.Context, pool string) []resourceapi.ResourceSlice {
	ginkgo.GinkgoHelper()
	all, err := devices.ListSlices(ctx, s.env, s.Driver)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	return slices.DeleteFunc(all, func(slice resourceapi.ResourceSlice) bool { return slice.Spec.Pool.Name != pool })
}
