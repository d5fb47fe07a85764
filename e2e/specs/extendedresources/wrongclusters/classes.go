// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongClasses are clusters whose scheduler makes mistakes about which DeviceClass
// provides an extended resource.
var wrongClasses = wrong.Table{
	"no DeviceClass provides extended resources": {
		Options: misreadsClasses(func(c *resourceapi.DeviceClass) { c.Spec.ExtendedResourceName = nil }), Spec: "extended-resource-is-provided-by-devices",
		Want: []string{"pod pod is not scheduled"},
	},
	"scheduler ignores the selectors of the class": {
		Options: misreadsClasses(func(c *resourceapi.DeviceClass) { c.Spec.Selectors = nil }), Spec: "extended-resource-is-provided-by-devices",
		Want: []string{"the devices for the extended resources of pod pod should be [card-0 card-1]"},
	},
	"scheduler knows no classes by their name": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			s.Objects.Classes = slices.DeleteFunc(s.Objects.Classes, func(c *resourceapi.DeviceClass) bool { return c.Spec.ExtendedResourceName == nil })
		}),
		Spec: "extended-resource-by-class-name", Want: []string{"pod pod is not scheduled"},
	},
	"a class with a name has no implicit name": {
		Options: misrequests(func(_ *corev1.Pod, claim *fakecluster.ExtendedClaim) {
			dropRequests(claim, func(m corev1.ContainerExtendedResourceRequest) bool {
				return strings.HasPrefix(m.ResourceName, resourceapi.ResourceDeviceClassPrefix)
			})
		}),
		Spec: "extended-resource-has-both-names", Want: []string{"the devices for the extended resources of pod both should be [card-0 card-1]"},
	},
	"classes provide resources that are called like them": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			for _, class := range s.Objects.Classes {
				for name := range s.Pod.Spec.Containers[0].Resources.Requests {
					if _, short, _ := strings.Cut(string(name), "/"); class.Spec.ExtendedResourceName == nil && strings.HasSuffix(class.Name, "-"+short) {
						class.Spec.ExtendedResourceName = ptr.To(string(name))
					}
				}
			}
		}),
		Spec: "extended-resource-waits-for-its-class", Want: []string{"pod pod should be unschedulable, because no DeviceClass has the name of the extended resource"},
	},
	"any class with a name provides any resource": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			for _, class := range s.Objects.Classes {
				for name := range s.Pod.Spec.Containers[0].Resources.Requests {
					if class.Spec.ExtendedResourceName != nil {
						class.Spec.ExtendedResourceName = ptr.To(string(name))
					}
				}
			}
		}),
		Spec: "extended-resource-waits-for-its-class", Want: []string{"should be unschedulable, because no DeviceClass has the name of the extended resource"},
	},
	"scheduler does not retry pods for extended resources when devices are published": {
		Options: wrong.With(fakecluster.SchedulerMistakes{OverlooksForExtended: "resourceslices"}), Spec: "extended-resource-waits-for-its-class",
		Want: []string{"pod published-later is not scheduled"},
	},
	"scheduler reads the name of a resource when its class is created": {
		Options: wrong.Misreads(keepClassNames()), Spec: "extended-resource-waits-for-its-class",
		Want: []string{"pod named-later is not scheduled"},
	},
	"scheduler keeps the first name of a class": {
		Options: wrong.Misreads(keepClassNames()), Spec: "extended-resource-ends-with-its-class",
		Want: []string{"pod disk is not scheduled"},
	},
	"scheduler keeps former names of classes": {
		Options: wrong.Misreads(addFormerNames()), Spec: "extended-resource-ends-with-its-class",
		Want: []string{"pod late-card should be unschedulable, because its DeviceClass has the name of another extended resource now"},
	},
	"scheduler keeps deleted classes": {
		Options: wrong.Misreads(keepDeletedClasses()), Spec: "extended-resource-ends-with-its-class",
		Want: []string{"pod late-tape should be unschedulable, because its DeviceClass was deleted"},
	},
	"scheduler does not observe new classes": {
		Options: wrong.Misreads(keepClasses()), Spec: "extended-resource-waits-for-its-class",
		Want: []string{"pod pod is not scheduled"},
	},
	"scheduler ignores when classes were created": {
		Options: misreadsClasses(func(c *resourceapi.DeviceClass) { c.CreationTimestamp = metav1.Time{} }), Spec: "extended-resource-newest-class-provides",
		Want: []string{"should be [b c], because the DeviceClasses b and c were created last"},
	},
	"the oldest class provides": {
		Options: misreadsClasses(func(c *resourceapi.DeviceClass) {
			c.CreationTimestamp = metav1.NewTime(time.Unix(0, 0).Add(time.Since(c.CreationTimestamp.Time)))
		}),
		Spec: "extended-resource-newest-class-provides", Want: []string{"should be [b c], because the DeviceClasses b and c were created last"},
	},
	"the class that was updated last counts": {
		Options: misreadsClasses(renewIfUpdated), Spec: "extended-resource-newest-class-provides",
		Want: []string{"should be [b c], because the DeviceClasses b and c were created last"},
	},
	"the class whose name is sorted last provides": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			for i, class := range s.Objects.Classes { // sorted by name
				class.CreationTimestamp = metav1.Unix(int64(i), 0)
			}
		}),
		Spec: "extended-resource-first-name-provides", Want: []string{"should be [a c], because the names of the DeviceClasses a and c are sorted first"},
	},
}

func misreadsClasses(change func(*resourceapi.DeviceClass)) fakecluster.Options {
	return wrong.Misreads(func(s *fakecluster.Scene) {
		for _, class := range s.Objects.Classes {
			change(class)
		}
	})
}

// keepClassNames makes the scheduler see the first name of the extended resource of each class.
func keepClassNames() func(*fakecluster.Scene) {
	first := map[string]*string{}
	return func(s *fakecluster.Scene) {
		for _, class := range s.Objects.Classes {
			if _, known := first[class.Name]; !known {
				first[class.Name] = class.Spec.ExtendedResourceName
			}
			class.Spec.ExtendedResourceName = first[class.Name]
		}
	}
}

// addFormerNames makes the scheduler see classes with former names of extended resources
// beside those with the present ones.
func addFormerNames() func(*fakecluster.Scene) {
	first := map[string]*resourceapi.DeviceClass{}
	return func(s *fakecluster.Scene) {
		for _, class := range slices.Clone(s.Objects.Classes) {
			before := first[class.Name]
			if before == nil {
				first[class.Name] = class
				continue
			}
			if ptr.Deref(before.Spec.ExtendedResourceName, "") != ptr.Deref(class.Spec.ExtendedResourceName, "") {
				s.Objects.Classes = append(s.Objects.Classes, before)
			}
		}
	}
}

// renewIfUpdated makes the scheduler take a class for a new one whose last selector repeats the
// first one.
func renewIfUpdated(c *resourceapi.DeviceClass) {
	if last := len(c.Spec.Selectors) - 1; last > 0 && c.Spec.Selectors[last].CEL.Expression == c.Spec.Selectors[0].CEL.Expression {
		c.CreationTimestamp = metav1.NewTime(time.Now().Add(time.Hour))
	}
}

// keepDeletedClasses makes the scheduler see classes after they are deleted.
func keepDeletedClasses() func(*fakecluster.Scene) {
	known := map[string]*resourceapi.DeviceClass{}
	return func(s *fakecluster.Scene) {
		for _, class := range s.Objects.Classes {
			known[class.Name] = class
		}
		for name, class := range known {
			if !slices.ContainsFunc(s.Objects.Classes, func(c *resourceapi.DeviceClass) bool { return c.Name == name }) {
				s.Objects.Classes = append(s.Objects.Classes, class)
			}
		}
	}
}

// keepClasses makes the scheduler see only the classes that it sees at first.
func keepClasses() func(*fakecluster.Scene) {
	var first []*resourceapi.DeviceClass
	return func(s *fakecluster.Scene) {
		if first == nil {
			first = s.Objects.Classes
		}
		s.Objects.Classes = first
	}
}

// dropRequests removes the requests with some mappings from a claim.
func dropRequests(claim *fakecluster.ExtendedClaim, which func(corev1.ContainerExtendedResourceRequest) bool) {
	claim.Mappings = slices.DeleteFunc(claim.Mappings, func(m corev1.ContainerExtendedResourceRequest) bool {
		if which(m) {
			claim.Spec.Devices.Requests = slices.DeleteFunc(claim.Spec.Devices.Requests, func(r resourceapi.DeviceRequest) bool { return r.Name == m.RequestName })
		}
		return which(m)
	})
}
