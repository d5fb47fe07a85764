// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/images"
	"github.com/draconform/draconform/hack/internal/foreign"
	breaking "github.com/draconform/draconform/internal/fault"
)

//go:embed foreign.yaml
var foreignData []byte

// The drivers that can be broken, and are known to the suite by a driver file.
const (
	fakeDriver = "fakedriver"
	testDriver = "test-driver"
)

var foreignComponents = []string{fakeDriver, testDriver}

// foreignDriver is how a driver is installed as that of a vendor, and described
// to the suite.
type foreignDriver struct {
	// manifest and file are the paths of its manifest and of its driver file from
	// the root of the repository.
	manifest, file string
	// driver and namespace are the names in both files. An installation has names
	// of its own, so that nothing on the nodes is left from an earlier one.
	driver, namespace string
	daemonSet         string
	image             images.Image
	// withFault adds a fault to the container of the driver.
	withFault func(container *corev1.Container, driver, fault string)
}

// breakable are the drivers by their names in foreign.yaml.
var breakable = map[string]foreignDriver{
	fakeDriver: {
		manifest: "hack/mutants/foreign/manifest.yaml", file: "hack/mutants/foreign/driver.yaml",
		driver: "gpus.example.com", namespace: "gpu-driver", daemonSet: "kubelet-plugin", image: vendorImage(switches.Image(images.Fakedriver, "")),
		withFault: func(c *corev1.Container, _, fault string) {
			c.Env = append(c.Env, corev1.EnvVar{Name: breaking.Variable, Value: fault})
		},
	},
	testDriver: {
		manifest: foreign.VendorsModule + "/manifests/test-driver.yaml", file: foreign.VendorsModule + "/test-driver.yaml",
		driver: "test-driver.cdi.k8s.io", namespace: "dra-test-driver", daemonSet: "kubelet-plugin", image: vendorImage(ofVendors("faulty")),
		withFault: func(c *corev1.Container, driver, fault string) {
			c.Args = []string{"--node-name=$(NODE_NAME)", "--driver-name=" + driver, "--fault=" + fault, "--v=3"}
		},
	},
}

// neighbour is a driver without faults, for claims of several drivers.
var neighbour = foreignDriver{
	manifest: foreign.VendorsModule + "/manifests/boards.yaml", file: foreign.VendorsModule + "/boards.yaml",
	driver: "boards.example.com", namespace: "boards-driver", daemonSet: "kubelet-plugin", image: vendorImage(ofVendors("boards")),
	withFault: func(*corev1.Container, string, string) {},
}

// ofVendors returns the image of a command in e2e/vendors, for the newest
// release.
func ofVendors(command string) images.Image {
	release := clusters.Newest()
	return images.Image{
		Ref: "example.com/" + command + ":v1", Module: foreign.VendorsModule, Package: foreign.VendorsModule + "/" + command, Kubernetes: release.Version,
		Tags: []string{foreign.BuildTag(release)},
	}
}

// vendorImage returns an image under a name as that of a vendor.
func vendorImage(image images.Image) images.Image {
	image.Ref = foreign.Registry + "/" + image.Binary() + ":v1.0.0"
	return image
}

// installation is a driver in the cluster.
type installation struct {
	foreign.Driver
	objects []runtime.Object
	// file is the path of the driver file.
	file string
}

// installation returns the objects of a driver with a fault, under names that
// begin with a name, and writes its driver file into a folder.
func (d foreignDriver) installation(root, dir, name, fault string) (installation, error) {
	driver, namespace := name+".example.com", "vendor-of-"+name
	renamed := func(path string) ([]byte, error) {
		content, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			return nil, fmt.Errorf("read a file of driver %s: %w", d.driver, err)
		}
		return bytes.ReplaceAll(bytes.ReplaceAll(content, []byte(d.driver), []byte(driver)), []byte(d.namespace), []byte(namespace)), nil
	}
	content, err := renamed(d.manifest)
	if err != nil {
		return installation{}, err
	}
	i := installation{Driver: foreign.Driver{Name: driver, Namespace: namespace, DaemonSet: d.daemonSet}, file: filepath.Join(dir, name+".yaml")}
	if i.objects, err = foreign.Decode(content); err != nil {
		return installation{}, fmt.Errorf("read manifest %s: %w", d.manifest, err)
	}
	for _, object := range i.objects {
		if set, ok := object.(*appsv1.DaemonSet); ok {
			container := &set.Spec.Template.Spec.Containers[0]
			container.Image = d.image.Ref
			d.withFault(container, driver, fault)
		}
	}
	if content, err = renamed(d.file); err != nil {
		return installation{}, err
	}
	if err := os.WriteFile(i.file, content, 0o644); err != nil {
		return installation{}, fmt.Errorf("write a driver file: %w", err)
	}
	return i, nil
}
