// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package features_test

import (
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
)

// cluster returns the client of a cluster that serves these API versions.
func cluster(groupVersions ...string) *fake.Clientset {
	client := fake.NewClientset()
	for _, gv := range groupVersions {
		client.Resources = append(client.Resources, &metav1.APIResourceList{GroupVersion: gv})
	}
	// The fake client would store what is created in dry runs.
	answerClaim(client, anyRequest, asItWas, nil)
	return client
}

// answer sets the result of creating a slice and returns the recorded requests.
func answer(client *fake.Clientset, stored func(*resourceapi.ResourceSlice), err error) *[]clienttesting.CreateActionImpl {
	var requests []clienttesting.CreateActionImpl
	client.PrependReactor("create", "resourceslices", func(a clienttesting.Action) (bool, runtime.Object, error) {
		create := a.(clienttesting.CreateActionImpl)
		requests = append(requests, create)
		slice := create.GetObject().(*resourceapi.ResourceSlice).DeepCopy()
		stored(slice)
		return true, slice, err
	})
	return &requests
}

// answerClaim sets the result of creating a claim with a request of some kind,
// and returns the recorded requests to the API server.
func answerClaim(client *fake.Clientset, of func(resourceapi.DeviceRequest) bool, stored func(*resourceapi.DeviceRequest), err error) *[]clienttesting.CreateActionImpl {
	var requests []clienttesting.CreateActionImpl
	client.PrependReactor("create", "resourceclaims", func(a clienttesting.Action) (bool, runtime.Object, error) {
		create := a.(clienttesting.CreateActionImpl)
		claim := create.GetObject().(*resourceapi.ResourceClaim).DeepCopy()
		if !of(claim.Spec.Devices.Requests[0]) {
			return false, nil, nil
		}
		requests = append(requests, create)
		stored(&claim.Spec.Devices.Requests[0])
		return true, claim, err
	})
	return &requests
}

func anyRequest(resourceapi.DeviceRequest) bool { return true }
func withList(r resourceapi.DeviceRequest) bool { return len(r.FirstAvailable) > 0 }
func withAdminAccess(r resourceapi.DeviceRequest) bool {
	return r.Exactly != nil && r.Exactly.AdminAccess != nil
}

func asItWas(*resourceapi.DeviceRequest) {}
func asItIs(*resourceapi.ResourceSlice)  {}

// invalid returns the validation error of an API server for a claim.
func invalid(problem *field.Error) error {
	return apierrors.NewInvalid(resourceapi.SchemeGroupVersion.WithKind("ResourceClaim").GroupKind(), "probe", field.ErrorList{problem})
}

func withoutSharing(slice *resourceapi.ResourceSlice) {
	for i := range slice.Spec.Devices {
		slice.Spec.Devices[i].AllowMultipleAllocations = nil
	}
}
