// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clienttesting "k8s.io/client-go/testing"
)

// failOn makes requests of a verb fail until the returned function is called. resource is for instance
// "resourceclaims" or "resourceclaims/status".
func (w *world) failOn(verb, resource string, err error) (stop func()) {
	var mu sync.Mutex
	active := true
	name, sub, _ := strings.Cut(resource, "/")
	w.client.PrependReactor(verb, name, func(action clienttesting.Action) (bool, runtime.Object, error) {
		mu.Lock()
		defer mu.Unlock()
		return active && action.GetSubresource() == sub, nil, err
	})
	return func() {
		mu.Lock()
		defer mu.Unlock()
		active = false
	}
}

// loseAnswers makes updates of the status of claims return an error although they are stored.
func (w *world) loseAnswers(err error) {
	w.client.PrependReactor("update", "resourceclaims", func(action clienttesting.Action) (bool, runtime.Object, error) {
		if action.GetSubresource() != "status" {
			return false, nil, nil
		}
		claim := action.(clienttesting.UpdateAction).GetObject().DeepCopyObject().(*resourceapi.ResourceClaim)
		claim.ResourceVersion += "0"
		w.Expect(w.client.Tracker().Update(action.GetResource(), claim, claim.Namespace)).To(Succeed())
		return true, nil, err
	})
}

// versions sets resource versions on objects of the fake client, which assume caches and conflicts require.
type versions struct {
	mu   sync.Mutex
	next int
}

func (v *versions) react(tracker clienttesting.ObjectTracker) clienttesting.ReactionFunc {
	return func(action clienttesting.Action) (bool, runtime.Object, error) {
		v.mu.Lock()
		defer v.mu.Unlock()
		switch a := action.(type) {
		case clienttesting.CreateActionImpl:
			object := a.GetObject().(metav1.Object)
			v.next++
			object.SetResourceVersion(strconv.Itoa(v.next))
			if object.GetUID() == "" {
				object.SetUID(types.UID(fmt.Sprintf("uid-%d", v.next)))
			}
			if object.GetName() == "" {
				object.SetName(object.GetGenerateName() + strconv.Itoa(v.next))
			}
		case clienttesting.UpdateActionImpl:
			object := a.GetObject().(metav1.Object)
			stored, err := tracker.Get(a.GetResource(), a.GetNamespace(), object.GetName())
			if err != nil {
				return true, nil, err
			}
			if stored.(metav1.Object).GetResourceVersion() != object.GetResourceVersion() {
				return true, nil, apierrors.NewConflict(a.GetResource().GroupResource(), object.GetName(), fmt.Errorf("version is %s", stored.(metav1.Object).GetResourceVersion()))
			}
			v.next++
			object.SetResourceVersion(strconv.Itoa(v.next))
		case clienttesting.PatchActionImpl:
			_, patched, err := clienttesting.ObjectReaction(tracker)(action)
			if err != nil {
				return true, nil, err
			}
			v.next++
			patched.(metav1.Object).SetResourceVersion(strconv.Itoa(v.next))
			return true, patched, tracker.Update(a.GetResource(), patched, a.GetNamespace())
		}
		return false, nil, nil
	}
}
