// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/dynamic-resource-allocation/api/metadata/v1beta1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/subject/driverfile"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// misdescribes returns the options of a cluster with changed device metadata
// files.
func misdescribes(change func(*fakecluster.MetadataFile)) fakecluster.Options {
	return wrong.With(fakecluster.ContainerMistakes{Misdescribes: func(files map[string]*fakecluster.MetadataFile) {
		for _, file := range files {
			change(file)
		}
	}})
}

// misplaces returns the options of a cluster whose device metadata files have
// other paths. A file with an empty path is left out.
func misplaces(change func(path string, file *fakecluster.MetadataFile) string) fakecluster.Options {
	return wrong.With(fakecluster.ContainerMistakes{Misdescribes: func(files map[string]*fakecluster.MetadataFile) {
		for _, path := range slices.Sorted(maps.Keys(files)) {
			file := files[path]
			delete(files, path)
			if path = change(path, file); path != "" {
				files[path] = file
			}
		}
	}})
}

// eachDescribed returns a change of all devices in a device metadata file.
func eachDescribed(change func(*v1beta1.Device)) func(*fakecluster.MetadataFile) {
	return func(file *fakecluster.MetadataFile) {
		for _, request := range file.Content.Requests {
			for i := range request.Devices {
				change(&request.Devices[i])
			}
		}
	}
}

// wrongMetadata are clusters whose drivers provide incorrect device metadata
// files.
var wrongMetadata = wrong.Table{
	"driver describes another device": {
		Options: misdescribes(eachDescribed(func(d *v1beta1.Device) { d.Name += "-other" })), Spec: "metadata-names-allocated-devices",
		Want: []string{"/resourceclaims/pod/one/mig.example.com-metadata.json should have the allocated devices of the request", "gpu-0-mig-1g-5gb-0-other"},
	},
	"driver describes the first device of a request only": {
		Options: misdescribes(func(file *fakecluster.MetadataFile) {
			for i := range file.Content.Requests {
				file.Content.Requests[i].Devices = file.Content.Requests[i].Devices[:1]
			}
		}),
		Spec: "metadata-names-allocated-devices",
		Want: []string{"/resourceclaims/pod/two/mig.example.com-metadata.json should have the allocated devices of the request"},
	},
	"driver describes a generated claim as the pod names it": {
		Options: misdescribes(func(file *fakecluster.MetadataFile) { file.Content.Name = "generated" }), Spec: "metadata-of-generated-claims",
		Want: []string{"/resourceclaimtemplates/generated/device/mig.example.com-metadata.json should be about claim draconform-test-1/pod-generated-"},
	},
	"driver says that the pod names a generated claim as the claim is named": {
		Options: misdescribes(func(file *fakecluster.MetadataFile) { file.Content.PodClaimName = &file.Content.Name }), Spec: "metadata-of-generated-claims",
		Want: []string{"/resourceclaimtemplates/generated/device/mig.example.com-metadata.json should name the claim as the pod does"},
	},
	"driver keeps the metadata of an earlier claim of the same name": {
		Options: wrong.With(fakecluster.ContainerMistakes{KeepsMetadata: true}), Spec: "metadata-ends-with-claim",
		Want: []string{"/resourceclaims/pod/same/mig.example.com-metadata.json should be about claim draconform-test-1/pod"},
	},
	"driver leaves the metadata of an earlier claim of the same name": {
		Options: wrong.With(fakecluster.ContainerMistakes{LeavesMetadata: true}), Spec: "metadata-ends-with-claim",
		Want: []string{"there should be one device metadata file for each request, and no others", "/resourceclaims/pod/earlier/"},
	},
	"driver describes the devices of another driver": {
		Options: withNIC(fakecluster.ContainerMistakes{Misdescribes: func(files map[string]*fakecluster.MetadataFile) {
			for _, path := range slices.Sorted(maps.Keys(files)) {
				requests := &files[path].Content.Requests[0]
				for _, other := range files {
					requests.Devices = append(slices.Clone(requests.Devices), other.Content.Requests[0].Devices...)
				}
			}
		}}),
		Spec: "metadata-of-two-drivers", Want: []string{"should only have devices that are allocated to the claim", "nic.example.com"},
	},
	"second driver writes no metadata": {
		Options: withNIC(fakecluster.ContainerMistakes{Misdescribes: func(files map[string]*fakecluster.MetadataFile) {
			maps.DeleteFunc(files, func(path string, _ *fakecluster.MetadataFile) bool { return strings.Contains(path, "nic.example.com") })
		}}),
		Spec: "metadata-of-two-drivers", Want: []string{"driver nic.example.com should have what its driver file states"},
	},
	"driver that was restarted describes devices without attributes": {
		Options: wrong.With(fakecluster.DriverMistakes{RestartForgetsAttributes: true}), Spec: "metadata-outlives-driver-restart",
		Want: []string{"should have the attribute", "as the file that was written before the driver was restarted"},
	},
	"driver describes another claim": {
		Options: misdescribes(func(file *fakecluster.MetadataFile) { file.Content.UID = "another" }), Spec: "metadata-names-allocated-devices",
		Want: []string{"/resourceclaims/pod/one/mig.example.com-metadata.json should be about claim draconform-test-1/pod", "another"},
	},
	"driver writes a metadata file for one of two requests": {
		Options: misplaces(func(path string, _ *fakecluster.MetadataFile) string {
			if strings.Contains(path, "/two/") {
				return ""
			}
			return path
		}),
		Spec: "metadata-names-allocated-devices", Want: []string{"there should be one device metadata file for each request, and no others"},
	},
	"driver writes no metadata files": {
		Options: fakecluster.Options{WithoutMetadata: true}, Spec: "metadata-names-allocated-devices",
		Want: []string{"driver mig.example.com should have what its driver file states, capabilities.deviceMetadata is yes", "container workload of pod pod has no files"},
	},
	"driver also writes metadata without a version": {
		Options: misdescribes(func(f *fakecluster.MetadataFile) { f.Versions = append(f.Versions, "metadata.resource.k8s.io") }), Spec: "metadata-is-versioned",
		Want: []string{"should state the version of each object", "metadata.resource.k8s.io"},
	},
	"driver writes metadata twice in the same version": {
		Options: misdescribes(func(f *fakecluster.MetadataFile) { f.Versions = append(f.Versions, f.Versions[0]) }), Spec: "metadata-is-versioned",
		Want: []string{"should have one object in each version"},
	},
	"driver describes devices with other attributes than those of their slices": {
		Options: misdescribes(eachDescribed(func(d *v1beta1.Device) {
			attributes := maps.Clone(d.Attributes)
			profile := attributes["profile"]
			profile.StringValue = ptr.To("another")
			attributes["profile"] = profile
			d.Attributes = attributes
		})),
		Spec: "metadata-agrees-with-slices", Want: []string{"attribute profile of device mig.example.com/", "should have the value of its ResourceSlice", "another"},
	},
	"driver describes all devices with the attributes of the first": {
		Options: wrong.With(fakecluster.ContainerMistakes{Misdescribes: func(files map[string]*fakecluster.MetadataFile) {
			first := slices.Min(slices.Collect(maps.Keys(files)))
			attributes := files[first].Content.Requests[0].Devices[0].Attributes
			for _, file := range files {
				eachDescribed(func(d *v1beta1.Device) { d.Attributes = attributes })(file)
			}
		}}),
		Spec: "metadata-agrees-with-slices", Want: []string{"/resourceclaims/pod/two/mig.example.com-metadata.json should have the value of its ResourceSlice"},
	},
	"driver omits the subrequest in metadata": {
		Options: misdescribes(func(f *fakecluster.MetadataFile) {
			for i := range f.Content.Requests {
				f.Content.Requests[i].Name, _, _ = strings.Cut(f.Content.Requests[i].Name, "/")
			}
		}),
		Spec: "metadata-names-chosen-alternative", Want: []string{"/resourceclaims/pod/list/mig.example.com-metadata.json should have the allocated devices of the request", "request list: mig.example.com/"},
	},
	"driver writes metadata into a folder of the subrequest": {
		Options: misplaces(func(path string, file *fakecluster.MetadataFile) string {
			if _, subrequest, ok := strings.Cut(file.Content.Requests[0].Name, "/"); ok {
				return strings.Replace(path, "/list/", "/"+subrequest+"/", 1)
			}
			return path
		}),
		Spec: "metadata-names-chosen-alternative", Want: []string{"there should be one device metadata file for each request, and no others", "/resourceclaims/pod/first/"},
	},
	"driver writes metadata of generated claims under their names": {
		Options: misplaces(func(path string, file *fakecluster.MetadataFile) string {
			return strings.Replace(path, "resourceclaimtemplates/generated", "resourceclaims/"+file.Content.Name, 1)
		}),
		Spec: "metadata-of-generated-claims", Want: []string{"there should be one device metadata file for each request, and no others", "/resourceclaims/pod-generated-"},
	},
	"containers see metadata of requests that they do not use": {
		Options: wrong.With(fakecluster.ContainerMistakes{MixesUpMetadata: true}), Spec: "metadata-is-only-of-own-requests",
		Want: []string{"container one should have a device metadata file for its request only"},
	},
}

// withoutCapabilities are clusters whose drivers lack what their driver files
// leave open. The specs do not apply to them.
var withoutCapabilities = wrong.Table{
	"driver without metadata files": notFound(fakecluster.Options{WithoutMetadata: true}, "metadata-names-allocated-devices",
		"needs capabilities.deviceMetadata of driver mig.example.com: container workload of pod pod has no files /var/run/kubernetes.io/dra-device-attributes/"),
	"driver without health": notFound(fakecluster.Options{WithoutHealth: true}, "health-is-reported",
		"needs capabilities.health of driver mig.example.com: the health of the devices of pod pod did not become known"),
	"driver that refuses admin access": notFound(fakecluster.Options{RefusesAdminAccess: true}, "admin-access-container-sees-device",
		"needs capabilities.adminAccess of driver mig.example.com: pod monitor with admin access was not started:", "admin access is not supported"),
	"driver without device status": notFound(fakecluster.Options{WithoutStatus: true}, "device-status-ends-with-allocation",
		"needs capabilities.deviceStatus of driver mig.example.com: claim claim of a running pod got no status of a device"),
	"driver whose claims one pod can use":       denied(subject.ClaimSharing, "pods-of-a-node-share-a-claim"),
	"driver whose claims one container can use": denied(subject.ContainerSharing, "init-containers-see-devices"),
	"driver without access to used devices":     denied(subject.AdminAccess, "admin-access-container-sees-device"),
	"driver that takes all parameters": {
		Options: fakecluster.Options{TakesAllParameters: true}, Spec: "refused-claim-holds-nothing", Outcome: suite.NotApplicable,
		Want: []string{"needs a driver that refuses parameters that it does not know"},
	},
	"driver with other attributes in metadata than in slices": {
		Options: misdescribes(eachDescribed(func(d *v1beta1.Device) { d.Attributes = nil })), Spec: "metadata-agrees-with-slices", Outcome: suite.NotApplicable,
		Want: []string{"no attribute of a device is both in its ResourceSlice and in a device metadata file"},
	},
}

// denied returns a cluster for whose driver the driver file denies a capability, and a
// spec that does not apply to it.
func denied(capability subject.Capability, spec string) wrong.Cluster {
	want := []string{"needs " + string(capability) + " of driver mig.example.com, which is no"}
	return wrong.Cluster{Spec: spec, Outcome: suite.NotApplicable, Want: want, Target: func(target *env.Target) {
		target.Subject.Capabilities = map[string]map[subject.Capability]subject.Answer{"mig.example.com": {capability: {Answer: driverfile.No}}}
	}}
}

// notFound returns a cluster for whose driver the driver file leaves all
// capabilities open, and a spec that does not apply to it.
func notFound(options fakecluster.Options, spec string, want ...string) wrong.Cluster {
	return wrong.Cluster{Options: options, Spec: spec, Outcome: suite.NotApplicable, Want: want, Target: func(target *env.Target) {
		target.Subject.Capabilities = nil
	}}
}
