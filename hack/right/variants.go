// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/draconform/draconform/hack/internal/batches"
)

//go:embed right.yaml
var data []byte

// components are those that variants can be of.
var components = []string{scheduler, driver, kubelet}

const (
	scheduler = "scheduler"
	driver    = "driver"
	// kubelet is a component whose variants are in the image of the driver.
	kubelet = "kubelet"
)

// catalogue is the content of right.yaml, which documents the fields.
type catalogue struct {
	Workers  int       `json:"workers"`
	Variants []variant `json:"variants"`
}

type variant struct {
	Name      string   `json:"name"`
	Component string   `json:"component"`
	Does      string   `json:"does"`
	Allowed   string   `json:"allowed"`
	Touches   []string `json:"touches"`
}

// batch is variants that are on in the same run.
type batch struct {
	// name is the tag of images and the name of a folder.
	name     string
	variants []variant
}

// load parses the catalogue.
func load(data []byte) (catalogue, error) {
	var c catalogue
	if err := yaml.UnmarshalStrict(data, &c); err != nil {
		return c, fmt.Errorf("read the variants: %w", err)
	}
	if c.Workers < 1 {
		return c, fmt.Errorf("workers must be positive, not %d", c.Workers)
	}
	seen := map[string]bool{}
	for _, v := range c.Variants {
		if err := v.check(); err != nil {
			return c, fmt.Errorf("variant %q: %w", v.Name, err)
		}
		if seen[v.Name] {
			return c, fmt.Errorf("duplicate variant %q", v.Name)
		}
		seen[v.Name] = true
	}
	return c, nil
}

func (v variant) check() error {
	switch {
	case v.Name == "" || v.Does == "" || v.Allowed == "" || len(v.Touches) == 0:
		return errors.New("it needs name, does, allowed and touches")
	case !slices.Contains(components, v.Component):
		return fmt.Errorf("component must be %s, not %q", strings.Join(components, " or "), v.Component)
	}
	return nil
}

// divide divides variants into batches that touch nothing in common.
func divide(variants []variant) []batch {
	var all []batch
	overlap := func(a, b variant) bool { return batches.Overlap(a.Touches, b.Touches) }
	for i, some := range batches.Divide(variants, overlap) {
		all = append(all, batch{name: fmt.Sprintf("batch-%d", i+1), variants: some})
	}
	return all
}

// of returns the names of the variants of components.
func (b batch) of(components ...string) []string {
	var all []string
	for _, v := range b.variants {
		if slices.Contains(components, v.Component) {
			all = append(all, v.Name)
		}
	}
	return all
}

// tag returns the tag of the images with the variants of components. It is empty
// if there are none.
func (b batch) tag(components ...string) string {
	if len(b.of(components...)) == 0 {
		return ""
	}
	return b.name
}
