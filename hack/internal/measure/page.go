// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package measure

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// Part is a part of a page that consists of parts, which are measured independently of
// each other.
type Part struct {
	// Name identifies the part in its page. By is the command that writes it, such
	// as "make bench-cold".
	Name, By string
	// Text is Markdown.
	Text string
}

func (p Part) begin() string { return fmt.Sprintf("<!-- begin %s, written by ", p.Name) }

func (p Part) end() string { return fmt.Sprintf("<!-- end %s -->\n", p.Name) }

// Write writes the part into the page in a file: in place of the part with its name,
// or at the end. It changes nothing else in the page, which must exist.
func (p Part) Write(path string) error {
	page, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("write %s of a page: %w", p.Name, err)
	}
	changed, err := p.into(string(page))
	if err != nil {
		return fmt.Errorf("write %s of %s: %w", p.Name, path, err)
	}
	if err := os.WriteFile(path, []byte(changed), 0o644); err != nil {
		return fmt.Errorf("write %s of a page: %w", p.Name, err)
	}
	return nil
}

// into returns a page with the part.
func (p Part) into(page string) (string, error) {
	text := p.begin() + p.By + " -->\n\n" + strings.TrimSpace(p.Text) + "\n\n" + p.end()
	before, rest, found := strings.Cut(page, p.begin())
	if !found {
		return strings.TrimRight(page, "\n") + "\n\n" + text, nil
	}
	_, after, found := strings.Cut(rest, p.end())
	if !found {
		return "", errors.New("the part has no end")
	}
	return before + text + after, nil
}
