package suite

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/subject"
)

// Request is one request of a claim. It is for a number of devices, or for the
// first available of several alternatives.
type Request struct {
	Name   string
	Device subject.Device
	// Count is the number of devices. Zero means 1.
	Count int64
	// FirstAvailable lists the alternatives, the most preferred first. If it is
	// set, Device and Count are not used (KEP-4816).
	FirstAvailable []Alternative
}

// Alternative is one subrequest of a request.
type Alternative struct {
	Name   string
	Device subject.Device
	// Count is the number of devices. Zero means 1.
	Count int64
	// All requests all such devices instead of a count.
	All bool
}

// Devices returns the claim spec for requests and constraints.
func Devices(requests []Request, constraints ...resourceapi.DeviceConstraint) resourceapi.DeviceClaim {
	claim := resourceapi.DeviceClaim{Constraints: constraints}
	for _, r := range requests {
		request := resourceapi.DeviceRequest{Name: r.Name}
		for _, a := range r.FirstAvailable {
			alternative := resourceapi.DeviceSubRequest{
				Name: a.Name, DeviceClassName: a.Device.Class, Selectors: selectors(a.Device), Count: a.Count, Capacity: capacity(a.Device),
			}
			if a.All {
				alternative.AllocationMode = resourceapi.DeviceAllocationModeAll
			}
			request.FirstAvailable = append(request.FirstAvailable, alternative)
		}
		if len(r.FirstAvailable) == 0 {
			request.Exactly = &resourceapi.ExactDeviceRequest{
				DeviceClassName: r.Device.Class, Selectors: selectors(r.Device), Count: r.Count, Capacity: capacity(r.Device),
			}
		}
		claim.Requests = append(claim.Requests, request)
	}
	return claim
}

func selectors(device subject.Device) []resourceapi.DeviceSelector {
	if device.Selector == "" {
		return nil
	}
	return []resourceapi.DeviceSelector{{CEL: &resourceapi.CELDeviceSelector{Expression: string(device.Selector)}}}
}

func capacity(device subject.Device) *resourceapi.CapacityRequirements {
	if device.Capacity == nil {
		return nil
	}
	return &resourceapi.CapacityRequirements{Requests: device.Capacity}
}

// Claim creates a claim.
func (e *Env) Claim(ctx context.Context, name string, devices resourceapi.DeviceClaim) (*resourceapi.ResourceClaim, error) {
	return e.createClaim(ctx, name, devices, metav1.CreateOptions{})
}

// TryClaim creates a claim as a dry run and returns the error of the API
// server.
func (e *Env) TryClaim(ctx context.Context, devices resourceapi.DeviceClaim) error {
	_, err := e.createClaim(ctx, "try", devices, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	return err
}

func (e *Env) createClaim(ctx context.Context, name string, devices resourceapi.DeviceClaim, options metav1.CreateOptions) (*resourceapi.ResourceClaim, error) {
	claim := &resourceapi.ResourceClaim{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: e.Namespace, Labels: e.Labels},
		Spec:       resourceapi.ResourceClaimSpec{Devices: devices},
	}
	created, err := e.Client.ResourceV1().ResourceClaims(e.Namespace).Create(ctx, claim, options)
	if err != nil {
		return nil, fmt.Errorf("create claim %s: %w", name, err)
	}
	return created, nil
}

// UID returns the UID of a claim.
func (e *Env) UID(ctx context.Context, claim string) string {
	ginkgo.GinkgoHelper()
	got, err := e.Client.ResourceV1().ResourceClaims(e.Namespace).Get(ctx, claim, metav1.GetOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	return string(got.UID)
}

// SameParent returns the constraint that all devices of a claim have the same
// parent.
func (e *Env) SameParent() resourceapi.DeviceConstraint {
	return resourceapi.DeviceConstraint{MatchAttribute: ptr.To(resourceapi.FullyQualifiedName(e.Subject.Partitions.Parent))}
}

// SameProfile returns the constraint that partitions are of the same kind. It
// applies to the given requests, or to all requests if none is given.
func (e *Env) SameProfile(requests ...string) resourceapi.DeviceConstraint {
	return resourceapi.DeviceConstraint{
		MatchAttribute: ptr.To(resourceapi.FullyQualifiedName(e.Subject.Partitions.Profile)), Requests: requests,
	}
}
